"""Workers as on several machines: no lock works, clocks differ by minutes, looks are late, and workers stop or die."""

from tests.derivations.sweeps.cases import started

KILLS = {"quick": 20, "full": 250}
CELLS, WORKERS = 8, 3
# Each worker is a fork that believes that it has a machine of its own. The parent stops, continues and kills them. More
# words name further folders in which the workers find the same store: mounts of one network file system.
MACHINES = """
import fcntl, os, pathlib, random, shutil, signal, sys, time
from derivations.sweeps import owners
from derivations.sweeps.disk import Disk
from derivations.sweeps.leases import BUSY
from derivations.sweeps.owners import Watch
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import CODE, FACTS, arrays, contents, put, questions, write_all

root, count, workers, kills = pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:5])
mounts = [root, *map(pathlib.Path, sys.argv[5:])]
LATE, PATIENCE = 0.02, 0.2
write_all(root / "whole", count)
expected, folder, rng = contents(root / "whole"), root / "store", random.Random(0)

def late(look, clock):
    seen = {}
    def call(self, *words):
        when, answer = seen.get(words, (None, None))
        if when is None or clock() > when + LATE:
            answer = look(self, *words)
            seen[words] = clock(), answer
        return answer
    return call

def as_a_machine(number):
    clock, skew = time.monotonic, random.Random(number).uniform(-600, 600)
    for module, name in ((fcntl, "flock"), (fcntl, "lockf"), (fcntl, "fcntl")):
        setattr(module, name, lambda *_: None)
    kernel = f"{number:012x}" if number % 3 else "0" * 12  # some share a kernel and know of each other's death
    owners._kernel = lambda: kernel
    time.monotonic, now = lambda: clock() + skew, time.time
    time.time = lambda: now() - 2 * skew
    Disk.names = late(Disk.names, clock)

def work(number):
    as_a_machine(number)
    store = Store(mounts[number % len(mounts)] / "store", Watch(beat=0.02, patience=PATIENCE))
    order = list(enumerate(questions(count)))
    random.Random(number).shuffle(order)
    while order:
        index, asked = order.pop(0)
        def compute(index=index):
            time.sleep(0.005)
            return arrays(index), FACTS
        if store.make(asked.cell(CODE), asked, CODE, compute) == BUSY:
            order.append((index, asked))
            time.sleep(0.005)

def fork(number):
    child = os.fork()
    if child == 0:
        try:
            work(number)
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    return child

deaths = stops = rounds = number = 0
crew = []
try:
    while deaths < kills:
        rounds += 1
        Store.create(folder)
        found = {}
        while len(found) < count:
            while len(crew) < workers:
                number += 1
                crew.append(fork(number))
            time.sleep(rng.uniform(0, 0.03))
            chosen = rng.choice(crew)
            what = rng.random()
            if what < 0.4:
                os.kill(chosen, signal.SIGKILL)
                os.kill(chosen, signal.SIGCONT)
                code = os.waitstatus_to_exitcode(os.waitpid(chosen, 0)[1])
                assert code in (0, -signal.SIGKILL), code
                deaths += code != 0
                crew.remove(chosen)
            elif what < 0.7:
                os.kill(chosen, signal.SIGSTOP)
                stops += 1
            else:
                for each in crew:
                    os.kill(each, signal.SIGCONT)
            now = contents(folder)
            assert found.items() <= now.items() <= expected.items()
            found = now
        for each in crew:
            os.kill(each, signal.SIGCONT)
            assert os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) == 0
        crew = []
        store = Store(folder, Watch(patience=0))
        assert contents(folder) == expected and all(store.meta(name) for name in expected)
        assert not any(item.is_file() for item in (folder / "damaged").rglob("*"))
        for _ in range(2):
            store.remove_leftovers()
        assert [*(folder / "leases").iterdir(), *(folder / "attempts").iterdir()] == []
        shutil.rmtree(folder)
finally:
    for each in crew:  # also those that were stopped
        os.kill(each, signal.SIGKILL)
print(deaths, stops, rounds)
"""


def test_workers_that_stop_and_die_fill_a_store_with_the_bits_of_one(tmp_path, request):
    kills = KILLS[request.config.option.profile]
    running = started(MACHINES, tmp_path, CELLS, WORKERS, kills)
    counted, said = running.communicate()
    assert (running.returncode, said) == (0, "")
    deaths, stops, rounds = map(int, counted.split())
    assert deaths >= kills
    assert min(stops, rounds) > 0
