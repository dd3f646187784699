"""Workers as on several machines: no lock works, clocks differ and are set, looks are late, and workers stop or die."""

from tests.derivations.sweeps.cases import started

KILLS, CELLS, WORKERS = 250, 8, 3
# Each worker is a fork that believes that it has a machine of its own. The parent stops, continues and kills them. More
# words name further folders in which the workers find the same store: mounts of one network file system.
#
# Workers keep a log, from which the parent checks that no work is wasted: a cell is computed once, and once more for
# each lease that was taken from its owner, which was killed or stopped, or did not beat in half of the patience.
MACHINES = """
import fcntl, os, pathlib, random, shutil, signal, sys, time
from collections import Counter
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
log = os.open(root / "log", os.O_RDWR | os.O_CREAT | os.O_APPEND)

def note(*words):
    os.write(log, (" ".join(map(str, words)) + "\\n").encode())

def late(look, clock):
    seen = {}
    def call(self, *words):
        when, answer = seen.get(words, (None, None))
        if when is None or clock() > when + LATE:
            answer = look(self, *words)
            seen[words] = clock(), answer
        return answer
    return call

def watched(change, clock):
    # The lease of another is taken, or does not change; of the own one the time without a beat is known.
    last = {}
    def call(self, place, *words):
        room, _, rest = place.partition("/")
        cell, _, name = rest.partition("/")
        if room != "leases" or not name:
            if room == "leases" and words:  # a claim
                last[words[0].partition("/")[2]] = clock()
            return change(self, place, *words)
        if cell.startswith("."):
            return change(self, place, *words)
        owner = int(name.split("-")[2])
        if owner != os.getpid():
            note("takes", cell, owner)
            try:
                return change(self, place, *words)
            except OSError:
                note("fails", cell, owner)
                raise
        last.setdefault(cell, clock())
        try:
            return change(self, place, *words)
        finally:
            if clock() - last[cell] > PATIENCE / 2:
                note("late", cell, owner)
            last[cell] = clock()
    return call

def as_a_machine(number):
    clock, draws = time.monotonic, random.Random(number)
    skew = draws.uniform(-600, 600)
    for module, name in ((fcntl, "flock"), (fcntl, "lockf"), (fcntl, "fcntl")):
        setattr(module, name, lambda *_: None)
    kernel = f"{number:012x}" if number % 3 else "0" * 12  # some share a kernel and know of each other's death
    owners._kernel = lambda: kernel
    time.monotonic, now = lambda: clock() + skew, time.time
    time.time = lambda: now() + draws.uniform(-600, 600)  # somebody sets the clock of the machine again and again
    Disk.names, Disk.move, Disk.unlink = late(Disk.names, clock), watched(Disk.move, clock), watched(Disk.unlink, clock)

def work(number):
    as_a_machine(number)
    store = Store(mounts[number % len(mounts)] / "store", Watch(beat=0.02, patience=PATIENCE))
    order = list(enumerate(questions(count)))
    random.Random(number).shuffle(order)
    while order:
        index, asked = order.pop(0)
        def compute(index=index, cell=asked.cell(CODE)):
            note("computes", cell, os.getpid())
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

def check_work(troubled):
    said = [line.split() for line in os.pread(log, os.fstat(log).st_size, 0).decode().splitlines()]
    os.ftruncate(log, 0)
    counts = {what: Counter() for what in ("computes", "takes", "fails")}
    for what, cell, pid in said:
        if what != "late":
            counts[what][cell] += 1
    late = {pid for what, _, pid in said if what == "late"}
    failed = Counter((cell, pid) for what, cell, pid in said if what == "fails")
    taken = Counter((cell, pid) for what, cell, pid in said if what == "takes") - failed
    evicted = Counter()
    for (cell, pid), times in taken.items():
        assert int(pid) in troubled or pid in late, f"{pid} was evicted from {cell}"
        evicted[cell] += times
    for cell, times in counts["computes"].items():
        assert times <= 1 + evicted[cell], f"{cell} was computed {times} times and lost {evicted[cell]} leases"
    return sum(counts["computes"].values()) - len(expected)

deaths = stops = rounds = number = twice = 0
crew = []
try:
    while deaths < kills:
        rounds += 1
        Store.create(folder)
        found, troubled = {}, set()
        while len(found) < count:
            while len(crew) < workers:
                number += 1
                crew.append(fork(number))
            time.sleep(rng.uniform(0, 0.03))
            chosen = rng.choice(crew)
            what = rng.random()
            if what < 0.7:
                troubled.add(chosen)
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
        twice += check_work(troubled)
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
print(deaths, stops, rounds, twice)
"""


def test_workers_that_stop_and_die_fill_a_store_with_the_bits_of_one(tmp_path):
    running = started(MACHINES, tmp_path, CELLS, WORKERS, KILLS)
    counted, said = running.communicate()
    assert (running.returncode, said) == (0, "")
    deaths, stops, rounds, twice = map(int, counted.split())
    assert deaths >= KILLS
    assert min(stops, rounds, twice) > 0
