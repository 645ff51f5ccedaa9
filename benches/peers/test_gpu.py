"""What judges a GPU, without one: `python3 benches/peers/test_gpu.py`. Programs that answer by the protocol stand in for libraries."""
import contextlib
import io
import itertools
import json
import math
import os
import random
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import gpu_figures  # noqa: E402
import peers  # noqa: E402
import peers_gpu  # noqa: E402
import random_cases  # noqa: E402
import tournament  # noqa: E402
from products import Sizes, elements, in_place, sizes, terms  # noqa: E402

# An H200 as its data sheet has it: operations a second, and bytes a second.
PEAK, BANDWIDTH = 67e12, 4.8e12


def rows(name):
    return peers.cases(os.path.join(HERE, name))


def contracted(equation, extents, left, right):
    """The result of an equation, by its definition; tensors are row-major lists."""
    (a, b), result = terms(equation)
    labels = sorted(set(a + b))
    found = [0] * math.prod(extents[label] for label in result)

    def place(tensor, index):
        at = 0
        for label in tensor:
            at = at * extents[label] + index[label]
        return at
    for values in itertools.product(*(range(extents[label]) for label in labels)):
        index = dict(zip(labels, values))
        found[place(result, index)] += left[place(a, index)] * right[place(b, index)]
    return found


def multiplied(product, length, left, right):
    """The same as products of matrices at these strides."""
    found = [None] * length
    batch, m, n, k = product.sizes
    for b, i, j in itertools.product(range(batch), range(m), range(n)):
        (l0, l1, l2), (r0, r1, r2), (o0, o1, o2) = product.left, product.right, product.result
        terms = (left[b * l0 + i * l1 + x * l2] * right[b * r0 + x * r1 + j * r2] for x in range(k))
        found[b * o0 + i * o1 + j * o2] = sum(terms)
    return found


class Predictions(unittest.TestCase):
    def test_the_larger_of_operations_and_bytes_is_allowed(self):
        square = next(row for row in rows("tccg.csv") if row["id"] == "12")
        operations, copied, extents = gpu_figures.roofline(square, "f64")
        self.assertEqual(sorted(extents.values()), [5120, 5136, 5136])
        self.assertAlmostEqual(operations, 2 * 5136 * 5136 * 5120 / PEAK)
        self.assertAlmostEqual(copied, 8 * (5136 * 5136 + 2 * 5136 * 5120) / BANDWIDTH)
        self.assertEqual(gpu_figures.roofline(square, "c64")[0], 4 * operations)
        permuted = next(row for row in rows("further.csv") if row["id"] == "101")
        self.assertEqual(gpu_figures.roofline(permuted, "f64")[:2], (0.0, 2 * 8 * 100 ** 4 / BANDWIDTH))

    def test_every_case_has_a_line_with_room_for_what_is_measured(self):
        lines = [line for line in gpu_figures.predicted() if line.startswith(("| 1", "| 2", "| 3", "| 4", "| 5", "| 6", "| 7", "| 8", "| 9"))]
        self.assertEqual(len(lines), sum(gpu_figures.LISTS.values()))
        self.assertTrue(all(line.count("|  |") == 3 for line in lines))


class Products(unittest.TestCase):
    def test_sizes_of_the_product_that_an_equation_is(self):
        extents = {label: extent for label, extent in zip("bijkl", [2, 3, 5, 7, 11])}
        self.assertEqual(sizes("bik,kbj->jbi", extents), Sizes(2, 3, 5, 7))
        self.assertEqual(sizes("ikl,lkj->ij", extents), Sizes(1, 3, 5, 77))
        for other in ["ij->ji", "ik,kj,jl->il", "ikl,kj->ij", "ii,ij->ij"]:
            self.assertIsNone(sizes(other, extents), other)
            self.assertIsNone(in_place(other, extents), other)

    def test_strides_lead_to_the_elements_of_the_definition(self):
        chance = random.Random(9)
        seen = 0
        for _ in range(3000):
            groups = {label: chance.choice(["ab", "ao", "bo", "abo"]) for label in "ijklm"[: chance.randint(2, 5)]}
            words = [[label for label, of in groups.items() if operand in of] for operand in "abo"]
            for word in words:
                chance.shuffle(word)
            equation = "{},{}->{}".format(*("".join(word) for word in words))
            extents = {label: chance.randint(1, 3) for label in groups}
            product = in_place(equation, extents)
            if product is None:
                continue
            seen += 1
            left, right = ([chance.randint(-9, 9) for _ in range(math.prod(extents[l] for l in word))] for word in words[:2])
            expected = contracted(equation, extents, left, right)
            self.assertEqual(multiplied(product, len(expected), left, right), expected, (equation, extents, product))
        self.assertGreater(seen, 500)

    def test_what_lies_as_matrices(self):
        extents = {label: 8 for label in "abcdefijkl"}
        for equation, batch in [("ik,kj->ij", 1), ("ki,jk->ji", 1), ("bik,bkj->bij", 8), ("ibk,bkj->bij", 8), ("abk,kj->abj", 1),
                                ("ce,deba->dcba", 8), ("be,dcea->dcba", 64)]:
            found = in_place(equation, extents)
            self.assertEqual(found and found.sizes.batch, batch, equation)
        # The batch is what lies next to each other; axes that are together in one tensor are apart in another.
        for equation in ["ikb,kjb->ijb", "adb,cd->cba", "ikl,lkj->ij"]:
            self.assertIsNone(in_place(equation, extents), equation)

    def test_the_contractions_of_tccg(self):
        found = [int(row["id"]) for row in rows("tccg.csv") if in_place(row["einsum"], peers.extents(row["extents_f64"], 0, 2))]
        self.assertEqual(found, [2, 9, 10, 11, 12, 15, 16, 17, 18])


class Lists(unittest.TestCase):
    def test_further_cases_are_bound_by_what_the_list_says(self):
        listed = rows("further.csv")
        self.assertEqual(len({row["id"] for row in listed + rows("tccg.csv")}), len(listed) + 48)
        for row, (real, size, operations) in itertools.product(listed, [("f64", 8, 2), ("f32", 4, 2), ("f64", 16, 8)]):
            extents = peers.extents(row["extents_" + real], 0, 2)
            traffic = size * sum(elements(row["einsum"], extents))
            by_bytes = traffic / BANDWIDTH > operations * math.prod(extents.values()) / PEAK
            self.assertEqual(row["bound"], "bytes" if by_bytes else "operations", row)
            if by_bytes:
                # Caches of a GPU hold some dozens of megabytes.
                self.assertGreater(traffic, 0.9e9, row)

    def test_verdicts_know_how_many_there_are(self):
        self.assertEqual(gpu_figures.LISTS, {name: len(rows(path)) for name, path in peers_gpu.LISTS.items()})


class Drawn(unittest.TestCase):
    def test_drawn_contractions_are_made_as_large_as_there_is_room(self):
        cases = tournament.drawn(3, 3, "all")
        for (_, equation, small), (_, same, large) in zip(cases, tournament.larger(cases, *peers_gpu.LARGE)):
            self.assertEqual(equation, same)
            tensors, points = random_cases.sizes(equation, large)
            gigabytes, gflop = 8e-9 * sum(tensors), 2e-9 * points
            self.assertTrue(gigabytes <= peers_gpu.LARGE[0] and gflop <= peers_gpu.LARGE[1], equation)
            # Extents are whole numbers, so that not all of it is used.
            self.assertTrue(gigabytes > 0.4 * peers_gpu.LARGE[0] or gflop > 0.4 * peers_gpu.LARGE[1], (equation, large))
            self.assertTrue(all(large[label] == extent for label, extent in small.items() if extent <= 4), equation)


class Numbers(list):
    """So much of an array library as workers use."""

    @property
    def shape(self):
        return (len(self),)

    def each(self, other, work):
        other = other if isinstance(other, list) else [other] * len(self)
        return Numbers(map(work, self, other))

    def __mul__(self, other):
        return self.each(other, lambda a, b: a * b)

    def __add__(self, other):
        return self.each(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.each(other, lambda a, b: a - b)

    def __and__(self, other):
        return self.each(other, lambda a, b: a & b)

    def __xor__(self, other):
        return self.each(other, lambda a, b: a ^ b)

    def __rshift__(self, other):
        return self.each(other, lambda a, b: a >> b)

    def __mod__(self, other):
        return self.each(other, lambda a, b: a % b)

    def __truediv__(self, other):
        return self.each(other, lambda a, b: a / b)

    def __pow__(self, other):
        return self.each(other, lambda a, b: a ** b)

    def __abs__(self):
        return Numbers(map(abs, self))

    def sum(self):
        return Sum(sum(self))

    def reshape(self, shape):
        return self


class Sum(float):
    def item(self):
        return float(self)


def told(events):
    """A library that computes by the definition, and tells what is asked of it."""
    def prepare(equation, operands):
        def call():
            events.append("call")
            extents = dict(a=3, b=4, c=5)
            return Numbers(contracted(equation, extents, *operands))
        return call
    return peers_gpu.Library(
        "by definition", lambda n: Numbers(range(n)), lambda x: Numbers(map(float, x)), lambda x, name: x, prepare,
        lambda result: events.append("wait"), lambda result: events.append("host"), lambda: None)


class Protocol(unittest.TestCase):
    # What `bench_einsum` answers to this line.
    LINE, CHECK, NORM = "ab,bc->ca f64 3x4 4x5", -1.393577786855298, 26.45923067710058

    def test_a_worker_answers_as_other_programs_do(self):
        events = []
        first, second = peers_gpu.answers(told(events), False, False, [self.LINE, self.LINE])
        wall, cpu, check, norm = map(float, first.split())
        self.assertTrue(wall >= 0 and cpu >= 0)
        self.assertAlmostEqual(check, self.CHECK, delta=1e-9 * self.NORM)
        self.assertAlmostEqual(norm, self.NORM, delta=1e-9 * self.NORM)
        self.assertEqual([float(word) for word in second.split()[2:]], [0, 0])
        # Once to be checked, once to have all memory, and once for each answer, which is waited for.
        # The result that is looked at, and before each run that is timed one that is not.
        self.assertEqual(events, ["call", "wait"] * 5)

    def test_results_are_copied_to_the_host_where_that_is_asked_for(self):
        events = []
        list(peers_gpu.answers(told(events), True, False, [self.LINE]))
        self.assertEqual(events[-3:], ["call", "wait", "host"])

    def test_who_computes_something_else_is_not_compared(self):
        (answer,) = peers_gpu.answers(told([]), False, True, [self.LINE])
        self.assertEqual([float(word) for word in answer.split()[2:]], [0, 0])

    def test_what_cannot_be_computed_is_an_error_and_the_next_line_is_answered(self):
        answers = list(peers_gpu.answers(told([]), False, False, ["ab,bc->zz f64 3x4 4x5", "nonsense", self.LINE]))
        self.assertEqual([answer.split()[0] for answer in answers[:2]], ["error", "error"])
        self.assertEqual(len(answers[2].split()), 4)


# A program that takes so many seconds for each line, and gives numbers that all who compute share.
FAKE = """
import sys
seconds, norm, words = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
print("ready fake " + " ".join(words), flush=True)
for line in sys.stdin:
    is_lost = any(word.startswith("lost=") and word[5:] == line.split()[0] for word in words)
    print("error it is lost" if is_lost else f"{seconds} {seconds} 1.0 {norm}", flush=True)
"""
SECONDS = {"tensorwrapper": 1e-3, "torch": 2e-3, "jax": 1.5e-3, "cupy": 3e-3, "cublas": 0.9e-3, "in_place": 0.98e-3, "copy": 0.9e-3}
FIGURES = {"replayed_steps": "50", "replayed_as_one": "yes", "replayed_step_us": "3.5",
           **{f"first_{name}_ms": "300" for name in gpu_figures.FIRST}, **{f"cached_{name}_ms": "2" for name in gpu_figures.FIRST},
           **{f"pool_{plan}_predicted_bytes": "1e9" for plan in gpu_figures.PLANS},
           **{f"pool_{plan}_measured_bytes": "1.02e9" for plan in gpu_figures.PLANS}}


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def timed(self, words={}, **seconds):
        """Both lists by programs that take these times; more words for some of them."""
        program = os.path.join(self.folder, "fake.py")
        with open(program, "w") as file:
            file.write(FAKE)
        command = ["peers_gpu.py", "--all", self.folder, "--libs", "", "--reps", "1"]
        for name, time in {**SECONDS, **seconds}.items():
            command += ["--ext", f"{name}={sys.executable} {program} {time} {words.get(name, '1.0')} results={{results}}"]
        return self.run_program(peers_gpu, command)

    def told(self, **changed):
        with open(os.path.join(self.folder, "figures.txt"), "w") as file:
            file.writelines(f"{name} {value}\n" for name, value in {**FIGURES, **changed}.items() if value)
        status, out, err = self.run_program(gpu_figures, ["gpu_figures.py", self.folder])
        table = [line.split(" | ") for line in out.splitlines() if line.startswith("| (")]
        return status, [(row[0].strip("| "), row[-1].strip("| ")) for row in table], out, err

    def run_program(self, module, words):
        argv, machine = sys.argv, peers_gpu.machine
        out, err = io.StringIO(), io.StringIO()
        sys.argv, peers_gpu.machine = words, lambda: "some GPU"
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = module.main()
        finally:
            sys.argv, peers_gpu.machine = argv, machine
        return status, out.getvalue(), err.getvalue()

    def test_what_is_held_and_what_is_missed(self):
        self.assertEqual(self.timed()[0], 0)
        with open(os.path.join(self.folder, "tccg-f64.json")) as file:
            first = json.load(file)
        self.assertEqual(first["versions"]["torch"], "fake results=device --threads 1")
        self.assertEqual([first["cases"][0]["libs"][name]["agrees"] for name in ("torch", "copy")], [True, None])
        status, verdicts, out, err = self.told()
        self.assertEqual((status, err), (0, ""))
        self.assertEqual([letter for letter, _ in verdicts], ["(a)"] * 3 + ["(b)"] * 6 + ["(c)"] * 3 + ["(d)"] * 3
                         + ["(e)", "(f)", "(f)", "(g)"])
        self.assertEqual({verdict for _, verdict in verdicts}, {"held"})
        self.assertIn("| 2 | `acd,db->cba` | a d 312, b 24, c 296 | bytes |", out)
        self.assertEqual(out.count("\n| 1"), 3 * (11 + 33))
        for changed, letter in [({"replayed_step_us": "5.1"}, "(e)"), ({"replayed_as_one": "no"}, "(e)"), ({"first_cholesky_ms": "1e3"}, "(f)"),
                                ({"pool_products_measured_bytes": "1.2e9"}, "(g)")]:
            status, verdicts, *_ = self.told(**changed)
            self.assertEqual(({row for row in verdicts if row[1] != "held"}, status), ({(letter, "missed")}, 0))

    def test_what_is_too_slow_is_missed(self):
        self.timed(cublas=0.79e-3, in_place=0.96e-3, torch=0.95e-3, copy=0.84e-3)
        _, verdicts, *_ = self.told()
        # jax and cupy are slower, so that torch is the best peer.
        self.assertEqual({row for row in verdicts if row[1] == "missed"}, {(f"({letter})", "missed") for letter in "abcd"})

    def test_a_result_that_is_wrong_is_missing(self):
        self.timed(words={"tensorwrapper": "2.0"})
        status, verdicts, out, err = self.told()
        self.assertEqual(status, 1)
        self.assertEqual({verdict for letter, verdict in verdicts if letter in "(a)(b)(c)(d)"}, {"missing"})
        self.assertIn("MISSING tccg in f64, case 1: tensorwrapper: its result is not that of the others", err)

    def test_one_number_that_is_missing_is_named_and_its_row_stays(self):
        self.timed(words={"torch": "1.0 lost=dca,cbd->ba", "jax": "1.0 lost=dac,bcd->ba"})
        status, verdicts, out, err = self.told()
        self.assertEqual(status, 1)
        # Without one of the three nobody knows which is the best.
        self.assertEqual({row for row in verdicts if row[1] != "held"}, {("(b)", "missing"), ("(c)", "missing")})
        self.assertIn("MISSING tccg in c64, case 13: torch: it is lost", err)
        self.assertIn("MISSING tccg in c64, case 14: jax: it is lost", err)
        self.assertEqual(out.count("\n| 13 | `dca,cbd->ba`"), 3)

    def test_figures_alone(self):
        self.told()
        status, out, _ = self.run_program(gpu_figures, ["gpu_figures.py", self.folder, "--alone"])
        self.assertEqual((status, out.count("| held |"), out.count("missing")), (0, 4, 0))
        self.told(first_cholesky_ms=None)
        status, out, err = self.run_program(gpu_figures, ["gpu_figures.py", self.folder, "--alone"])
        self.assertEqual((status, out.count("| held |"), err), (1, 3, "MISSING figures.txt: first_cholesky_ms: KeyError('first_cholesky_ms')\n"))

    def test_a_file_or_a_figure_that_is_missing_is_named(self):
        self.timed()
        os.remove(os.path.join(self.folder, "further-c64.json"))
        status, verdicts, _, err = self.told(replayed_step_us=None)
        self.assertEqual(status, 1)
        self.assertIn("further-c64.json", err)
        self.assertIn(("(e)", "missing"), verdicts)
        # What is there is not timed again.
        _, out, _ = self.timed()
        self.assertEqual([line for line in out.splitlines() if line.startswith("# ") and " in " in line], ["# further.csv in c64"])


if __name__ == "__main__":
    unittest.main()
