"""The house in figures: sixteen points beside those of Jolt, box3d, Drake, MuJoCo, Newton and OpenUSD.

The anchors' figures and the goals were measured in November 2026 by the same counts: lines are physical lines, a comment is a line that holds nothing
else, KLOC are lines that are not blank, functions of C++ are counted by their braces and those of Python by `ast`.
"""
import ast
import pathlib
import re
import statistics

from tools import diagnostics_page, layers

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPP = (".h", ".cpp")


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


def files(root, *folders, suffixes=CPP):
    return [path for folder in folders for path in sorted((root / folder).rglob("*")) if path.suffix in suffixes and "__pycache__" not in path.parts]


def share(values, part):
    """The smallest value that `part` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0


def lengths(paths):
    counts = [len(text_of(path).splitlines()) for path in paths]
    return f"{statistics.median(counts):.0f} / {share(counts, 0.9)} / {max(counts)} ({len(counts)} files)" if counts else "none"


def kloc(paths):
    return sum(sum(bool(line.strip()) for line in text_of(path).splitlines()) for path in paths) / 1000


def without_text(source):
    """C++ source without literals and comments, line breaks kept."""
    keep = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*(?:.|\n)*?\*/', keep, source)


def cpp_functions(path):
    """Line counts of the function bodies of a file: a brace that follows a parameter list, at the outermost such level."""
    source, out, depth, starts, line = without_text(text_of(path)), [], 0, [], 1
    head = ""
    for character in source:
        if character == "\n":
            line += 1
        if character == "{":
            words = head.strip()
            function = bool(re.search(r"\)\s*(const|noexcept|override|final|mutable|->\s*[\w:<>,&*\s]+|:\s*[\w:<>]+[({].*)*\s*$", words, re.S)) and not re.match(
                r"(.*\b)?(if|for|while|switch|catch)\s*(constexpr\s*)?\(", words.rsplit(";", 1)[-1].strip(), re.S)
            if function and not starts:
                starts.append((depth, line))
            depth += 1
            head = ""
        elif character == "}":
            depth -= 1
            if starts and starts[-1][0] == depth:
                out.append(line - starts.pop()[1] + 1)
            head = ""
        elif character == ";":
            head = ""
        else:
            head += character
    return out


def python_functions(path):
    return [node.end_lineno - node.lineno + 1 for node in ast.walk(ast.parse(text_of(path))) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def circles(edges):
    """Groups of more than one node that reach one another (Tarjan's strongly connected components, iterative)."""
    index, low, stack, on, out, counter = {}, {}, [], set(), [], 0
    for root in edges:
        work = [(root, iter(edges.get(root, ())))] if root not in index else []
        if work:
            index[root] = low[root] = counter
            counter += 1
            stack.append(root)
            on.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = counter
                    counter += 1
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(edges.get(target, ()))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on.discard(group[-1])
                    if len(group) > 1:
                        out.append(sorted(group))
    return out


def cpp_edges(root):
    known = {str(path.relative_to(root / top)): path for top in ("include", "src/include") for path in files(root, top, suffixes=(".h",))}
    known |= {str(path.relative_to(root / "src")): path for path in files(root, "src", suffixes=(".h",))}
    return {name: [target for target in re.findall(r'#include "([^"]+)"', text_of(path)) if target in known] for name, path in known.items()}


def python_edges(root):
    """Which module of the package imports which, also inside functions; imports for type checkers aside."""
    package = root / "python"
    names = {".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__"): path for path in files(root, "python", suffixes=(".py",))}
    edges = {}
    for name, path in names.items():
        tree, found = ast.parse(text_of(path)), []
        typing = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test) for inner in ast.walk(node)}
        base = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for node in ast.walk(tree):
            if id(node) in typing:
                continue
            if isinstance(node, ast.ImportFrom):
                start = base[:len(base) - node.level + 1] if node.level else []
                module = ".".join([*start, *(node.module.split(".") if node.module else [])])
                inner = [f"{module}.{alias.name}" for alias in node.names if f"{module}.{alias.name}" in names]
                own = [alias.name for alias in node.names if f"{module}.{alias.name}" not in names and alias.name != "_core"]
                found += inner + ([module] if own and module in names else [])
            elif isinstance(node, ast.Import):
                found += [alias.name for alias in node.names if alias.name in names]
        edges[name] = [target for target in found if target != name]
    return edges


def comments(paths):
    """Share of lines that are comments, of those that are not blank."""
    lines = [line.strip() for path in paths for line in text_of(path).splitlines() if line.strip()]
    return 100 * sum(line.startswith(("//", "/*", "*")) for line in lines) / max(1, len(lines))


def users(root):
    """Header -> the modules and samples beside its own that include it."""
    out = {str(path.relative_to(root / "include")): set() for path in files(root, "include", suffixes=(".h",))}
    for path in files(root, "src", "include", "samples"):
        parts = path.relative_to(root).parts
        parts = parts[1:] if parts[:2] == ("src", "include") else parts
        module = {"src": parts[1], "include": parts[2] if len(parts) > 3 else "face", "samples": "samples"}[parts[0]]
        for header in re.findall(r'#include "(mechane/[^"]+)"', text_of(path)):
            if header in out and module != header.split("/")[1]:
                out[header].add(module)
    return out


UNIT = re.compile(r"\[[^\]]+\]|\b(m|kg|s|N|rad|J|Pa|Hz|metres?|seconds?|radians?|degrees?|newtons?|pixels?|per|fraction|ratio|number of|count|index|indices|dimensionless|bytes?|lines?|0\.\.1|share|id)\b|N[·*]m|kg[·*]m|/s")
FIELD = re.compile(r"^\s+(?:inline\s+|static\s+|constexpr\s+)*(?:Real|float|double|Vec3|std::vector<(?:Real|float|double|Vec3)>)\s+\w+\s*(?:=\s*[^;]*|\{[^;]*\})?;(.*)$")


def units(root):
    with_unit = total = 0
    for path in files(root, "include", suffixes=(".h",)):
        lines = text_of(path).splitlines()
        for i, line in enumerate(lines):
            match = FIELD.match(line)
            if match and lines[i].count("(") == lines[i].count(")"):  # a parameter of a function that is broken over lines is no field
                above = lines[i - 1] if i and lines[i - 1].strip().startswith("///") else ""
                total += 1
                with_unit += bool(UNIT.search(match[1]) or UNIT.search(above))
    return with_unit, total


def points(root=ROOT):
    """(number, point, ours, anchors, goal) for each of the sixteen."""
    program, tests = files(root, "src", "include"), files(root, "tests")
    python = files(root, "python", suffixes=(".py",))
    cpp_lengths = [n for path in program for n in cpp_functions(path)]
    py_lengths = [n for path in python for n in python_functions(path)]
    importer = files(root, "src/importer", *(f"{shown}/importer" for shown in layers.SHOWN))
    words = lambda pattern: sum(len(re.findall(pattern, text_of(path))) for path in files(root, "src"))
    upward, cpp_round, py_round = len(list(layers.offences(root))), circles(cpp_edges(root)), circles(python_edges(root))
    pxr = sorted({path.relative_to(root / "src").parts[0] for path in files(root, "src") if "#include <pxr/" in text_of(path) or '#include "pxr/' in text_of(path)})
    public = files(root, "include", suffixes=(".h",))
    seen = users(root)
    lonely = sum(len(who) <= 1 and "samples" not in who for who in seen.values())
    with_unit, fields = units(root)
    ratio = lambda room: kloc(files(root, f"tests/{room}", suffixes=(*CPP, ".py"))) / max(1e-9, kloc(files(root, f"src/{room}", *(f"{shown}/{room}" for shown in layers.SHOWN))))
    rooms = sorted(path.name for path in (root / "src").iterdir() if path.is_dir() and (root / "tests" / path.name).is_dir())
    poor = [f"{room} {ratio(room):.2f}" for room in rooms if ratio(room) < 0.5]
    rules = files(root, "src/conformance/rules", suffixes=(".cpp",))
    schemes = {row[1].split("_")[0] for row in diagnostics_page.rows(root) if len(row[1].split("_")[0]) == 1}
    none = sum(len(re.findall(r'"None\."', text_of(path))) for path in rules)
    samples = files(root, "samples", suffixes=(".cpp",))
    presets = re.findall(r'"name": "(\w+)"', text_of(root / "CMakePresets.json"))
    readme = text_of(root / "README.md")
    sources = files(root, "src", suffixes=(".cpp",))
    yield 1, "files: median / p90 / longest", f"all {lengths(program)}; sources {lengths([p for p in program if p.suffix == '.cpp'])}; tests {lengths(tests)}; Python {lengths(python)}", \
        "Jolt 110/460/2,979; Drake proximity 105/461/895; MuJoCo 155/1,728/8,722; Newton 401/2,078/13,077", "keep"
    yield 2, "functions: p95 / longest", f"{share(cpp_lengths, 0.95)} / {max(cpp_lengths)}; Python {share(py_lengths, 0.95)} / {max(py_lengths)}", "Jolt 505, box3d 890, Newton 5,165", "longest < 200"
    yield 3, "importer", (f"{len(importer)} files, longest {max(len(text_of(p).splitlines()) for p in importer)}; " +
                          f"branches on newton() {words('newton[(][)]')}, strict_reference {words('strict_reference')}, compat_ {words('compat_[.) ]')}"), \
        "Newton: one file of 5,639", "one table of rules"
    yield 4, "direction", f"C++ {upward} upward, {len(cpp_round)} circles; Python circles: {', '.join(str(len(g)) for g in py_round) or 'none'}", "Jolt 7 leaks, Drake 1, MuJoCo 0", "0 in both"
    yield 5, "walls", f"pxr/ in {', '.join(pxr)}; MECHANE_WITH_USD " + ("is an option" if "MECHANE_WITH_USD" in text_of(root / "CMakeLists.txt") else "is none"), "-", "simulation alone built and tested"
    yield 6, "public face", f"{len(public)} headers, {sum(len(text_of(p).splitlines()) for p in public) / 1000:.1f} K lines; {lonely} used by at most one other module and no sample; " \
        f"@error in {sum('@error' in text_of(p) for p in public)}; units at {100 * with_unit / max(1, fields):.0f} % of {fields} numeric fields", "box3d 8 / 7.2 K, MuJoCo 16 / 8.6 K", "80 / 9 K, all with units"
    yield 7, "tests / source", f"{kloc(tests) / kloc(program):.2f} C++, {(kloc(files(root, 'tests', suffixes=(*CPP, '.py')))) / (kloc(program) + kloc(python)):.2f} with Python; below 0.5: {', '.join(poor) or 'none'}", \
        "Drake 1.38, Newton 0.77, MuJoCo 0.44, Jolt 0.20", "0.7, no room below 0.5"
    yield 8, "expected values", "derived or from an oracle: to be read, not counted", "-", "keep"
    yield 9, "differential tests", f"{kloc(files(root, 'tests/differential', suffixes=('.py', *CPP))):.1f} KLOC", "none for every row", "keep"
    threads = sorted({int(n) for path in files(root, "tests", suffixes=(*CPP, ".py")) for n in re.findall(r'--threads", "?(\d+)|threads\s*=\s*(\d+)', text_of(path)) for n in n if n})
    yield 10, "determinism", f"thread counts in tests: {', '.join(map(str, threads))}", "Jolt: 17 jobs, 83 comparisons", "gcc and clang, debug and release"
    yield 11, "findings", f"{len(list(diagnostics_page.rows(root)))} diagnostics, {len(schemes)} id schemes beside MODULE_WHAT; {none} rules with a bare \"None.\"", "OpenUSD: 4 of 5 messages wrong", "one scheme"
    yield 12, "samples", f"{len(samples)} programs, {sum(bool(re.search(r'Claims|[.]that[(]', text_of(p))) for p in samples)} assert their claims", "Jolt 147", "one for every joint and contact feature"
    yield 13, "no allocation after warm-up", f"{sum('allocations' in text_of(p) and p.name != 'allocations.cpp' for p in tests)} test files count", "box3d in prose", "keep"
    yield 14, "sanitizers and fuzz", f"presets {', '.join(n for n in dict.fromkeys(presets) if n not in ('base', 'dev', 'release'))}; {len(list((root / 'fuzz').glob('usd*.cpp')))} compiled targets, {len(list((root / 'fuzz').glob('*.py')))} scripts", \
        "box3d A, UB, T, M", "per change, every reader"
    yield 15, "first minutes", f"README of {len(readme.splitlines())} lines, {readme.count('![')} pictures", "Jolt 1,038 lines", "drawing, output"
    yield 16, "comments", f"sources {comments(sources):.1f} %, private headers {comments(files(root, 'src', suffixes=('.h',))):.1f} %, public {comments(public):.1f} %", "11 to 42 %", "sources 8 %, public 30 %"


def report(root=ROOT):
    """The table as Markdown."""
    lines = ["| # | point | ours | anchors | goal |", "| --- | --- | --- | --- | --- |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in points(root)]) + "\n"
