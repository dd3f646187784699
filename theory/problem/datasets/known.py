"""The table of data sets: each file with its size and the SHA-256 of its bytes."""

from dataclasses import dataclass

SCENES = ("astronaut", "camera", "chelsea", "china", "coffee", "flower", "motorcycle", "rocket")
TEXTURES = ("brick", "grass", "gravel")


@dataclass(frozen=True)
class DataFile:
    """A file of a data set: an array in the format idx, or records of the binary version of CIFAR.

    `label_bytes` is the number of bytes before the pixels of each record, 0 for idx.
    """

    name: str
    size: int
    sha256: str
    label_bytes: int = 0


@dataclass(frozen=True)
class Dataset:
    """A data set: its name, a sentence that says what it is, and its files.

    `archive` is the address from which users download the set themselves, empty where `gdln data get` fetches it.

    >>> DATASETS["mnist"].size  # bytes
    54950048
    >>> DATASETS["cifar-10"].command
    'gdln data get cifar-10 --from cifar-10-binary.tar.gz'
    """

    name: str
    title: str
    files: tuple[DataFile, ...]
    archive: str = ""

    @property
    def size(self) -> int:
        """The bytes of all files together."""
        return sum(file.size for file in self.files)

    @property
    def command(self) -> str:
        """The command that gets the set."""
        given = f" --from {self.archive.rpartition('/')[2]}" if self.archive else ""
        return f"gdln data get {self.name}{given}"

    def file(self, name: str) -> DataFile:
        """Return the file called `name`. Raises KeyError for another name."""
        return {file.name: file for file in self.files}[name]


_MNIST = (
    DataFile("train-images-idx3-ubyte", 47_040_016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
    DataFile("train-labels-idx1-ubyte", 60_008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
    DataFile("t10k-images-idx3-ubyte", 7_840_016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
    DataFile("t10k-labels-idx1-ubyte", 10_008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
)
_FASHION = (
    DataFile("train-images-idx3-ubyte", 47_040_016, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
    DataFile("train-labels-idx1-ubyte", 60_008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
    DataFile("t10k-images-idx3-ubyte", 7_840_016, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
    DataFile("t10k-labels-idx1-ubyte", 10_008, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
)
_PHOTOGRAPHS = (
    DataFile("astronaut", 262_156, "c2a8c6ba1489daccde39c19dfa4c5356ab536dd4971bba0c2079d78a4579438e"),
    DataFile("camera", 262_156, "26d52401c97d44c0caddb9d4fa26c8ff97e61defa7f350239118d91a25a55a67"),
    DataFile("chelsea", 135_312, "d89a800897de48c3fd96539deaa1c5f35f1476e72c78885a4e202bedd62c149a"),
    DataFile("china", 273_292, "da548524a39278fc25e0e936af4e1d5f0a555b63c5e5af0ee2aa28d57eb39b6f"),
    DataFile("coffee", 240_012, "462b926845667b5f40f3ccb2f3fba0fb6b9dc318c84ae41f974d5e74f39c3367"),
    DataFile("flower", 273_292, "091eb8d46a0648b85c2cc5a250160fb774ada2d2962c3050d3d32a6a4b4b4808"),
    DataFile("motorcycle", 370_512, "22d69ccaf9d883152e90b232f40d82b5f70edfaddda1acb2897deee986f031fb"),
    DataFile("rocket", 273_292, "164bb50a5b2036d3fcf17261cbe55ee4f963a0d0f94736bb7ec48a0f3eac17fa"),
    DataFile("brick", 262_156, "a246f8325d3b5ab828d4df4282e22e4bf497dd9b51c483281bbb98007dd753b1"),
    DataFile("grass", 262_156, "4694b5e075e83e2238bd1bf3372197971d3b00c547172f57e7f067b6391b2f7e"),
    DataFile("gravel", 262_156, "063aeb4593468940113b319008453b604f61a49fbb1e6d0f05b14e194ce4e2f5"),
)
# The binary versions: 10000 or 50000 records a file, each of one label byte (CIFAR-100: two) and 3072 pixels. The
# SHA-256 are those that the gem torchvision lists for the files in the archives of
# https://www.cs.toronto.edu/~kriz/cifar.html. The archives themselves have
# c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd (CIFAR-10) and
# 58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec (CIFAR-100).
_CIFAR_10 = tuple(
    DataFile(name, 30_730_000, sha256, 1)
    for name, sha256 in (
        ("data_batch_1.bin", "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"),
        ("data_batch_2.bin", "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"),
        ("data_batch_3.bin", "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"),
        ("data_batch_4.bin", "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"),
        ("data_batch_5.bin", "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"),
        ("test_batch.bin", "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"),
    )
)
_CIFAR_100 = (
    DataFile("train.bin", 153_700_000, "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29", 2),
    DataFile("test.bin", 30_740_000, "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a", 2),
)
_TORONTO = "https://www.cs.toronto.edu/~kriz"
DATASETS: dict[str, Dataset] = {
    "mnist": Dataset("mnist", "handwritten digits, 70000 images of 28 x 28", _MNIST),
    "fashion-mnist": Dataset("fashion-mnist", "articles of clothing, 70000 images of 28 x 28", _FASHION),
    "photographs": Dataset("photographs", "8 scenes and 3 textures, grey, 300 to 741 pixels a side", _PHOTOGRAPHS),
    "cifar-10": Dataset(
        "cifar-10",
        "objects in 10 classes, 60000 colour images of 32 x 32",
        _CIFAR_10,
        f"{_TORONTO}/cifar-10-binary.tar.gz",
    ),
    "cifar-100": Dataset(
        "cifar-100",
        "objects in 100 classes, 60000 colour images of 32 x 32",
        _CIFAR_100,
        f"{_TORONTO}/cifar-100-binary.tar.gz",
    ),
}
