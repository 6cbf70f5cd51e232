"""The command line: each subcommand, its exit codes, its errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from portablepdb import Assembly, MalformedError, PortablePdb, cli
from portablepdb.cli import main

from .assembly_maker import AssemblyMaker
from .maker import Maker


@pytest.fixture(scope="module")
def first(compiled) -> Path:
    return compiled("first.cs", "-debug:portable", "-optimize-", "-define:DEBUG")


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_info_of_an_assembly_and_of_a_pdb(first: Path, run):
    code, out, _ = run("info", first)
    assert code == 0
    assert "First.Program.Main(string[] args)" in out
    assert "not optimized" in out
    code, out, _ = run("info", first.with_suffix(".pdb"))
    assert (code, "documents   1" in out) == (0, True)


def test_file_without_methods_says_so(tmp_path: Path, run):
    image, pdb = tmp_path / "empty.dll", tmp_path / "empty.pdb"
    image.write_bytes(AssemblyMaker().image())
    pdb.write_bytes(Maker().data())
    assert run("il", image) == (1, "", "portablepdb: the image has no methods\n")
    assert run("lines", pdb) == (1, "", "portablepdb: no method of the PDB has points\n")


def test_documents_and_lines(first: Path, run):
    code, out, _ = run("documents", first)
    assert code == 0
    assert out.split("\t")[1].endswith("first.cs")
    code, out, _ = run("lines", first, "first.cs")
    assert (code, "First.Program.Wait(int amount)" in out) == (0, True)
    code, out, _ = run("lines", first.with_suffix(".pdb"), "0x06000001")
    assert code in (0, 1)
    assert run("lines", first, "other.cs")[:2] == (1, "")
    (token,) = {hit[0] for hit in json.loads(run("bind", first, "first.cs", 50)[1])["hits"]}
    assert run("lines", first, token) == run("lines", first, f"0x{token}"), "tokens are taken as dumps have them"
    assert run("il", first, token) == run("il", first, f"0x{token}")
    assert run("lines", first, token)[0] == 0


def test_dump_is_written_in_few_pieces_and_up_to_an_error(monkeypatch: pytest.MonkeyPatch):
    pieces: list[str] = []
    monkeypatch.setattr(cli.sys.stdout, "write", pieces.append)

    def some_lines():
        for number in range(2 * cli.LINES_AT_ONCE + 7):
            yield str(number)
        raise MalformedError("x", file="a", offset=0)

    with pytest.raises(MalformedError):
        cli.write(some_lines())
    assert len(pieces) == 3
    assert "".join(pieces) == "".join(f"{number}\n" for number in range(2 * cli.LINES_AT_ONCE + 7))


def test_bind_prints_one_record_and_says_by_its_code_whether_it_binds(first: Path, run):
    source = (Path(__file__).parent / "sources" / "first.cs").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if text.endswith("// lambda"))
    code, out, _ = run("bind", first.with_suffix(".pdb"), "first.cs", line)
    record = json.loads(out)
    assert (code, record["k"], record["line"], record["col"], len(record["hits"])) == (0, "bind", line, 0, 2)
    code, out, _ = run("bind", first.with_suffix(".pdb"), "first.cs", 100000)
    assert (code, json.loads(out)["hits"]) == (1, [])


def test_il_of_a_method_by_name_and_token(first: Path, run):
    code, out, _ = run("il", first, "First.Program.Main")
    assert code == 0
    assert out.startswith(".method public hidebysig static void First.Program::Main(string[] args)")
    assert "inner" in out
    assert run("il", first, "First.Nothing") == (
        1,
        "",
        "portablepdb: no method has the full name First.Nothing (Ns.Type.Method)\n",
    )
    assert run("lines", first, "no.cs") == (1, "", "portablepdb: no.cs ends no document's name\n")
    assert run("il", first, "0x06000001")[0] == 0


def test_source_of_an_embedded_document(compiled, capfdbinary):
    path = compiled("first.cs", "-debug:embedded", "-embed", "-deterministic+", "-pathmap:/=/_/")
    assert main(["source", str(path), "first.cs"]) == 0
    assert capfdbinary.readouterr().out == (Path(__file__).parent / "sources" / "first.cs").read_bytes()
    assert main(["source", str(path), "other.cs"]) == 1


def test_dump_writes_sorted_ascii_lines(first: Path, run):
    for what, path in (("asm", first), ("pdb", first.with_suffix(".pdb"))):
        code, out, _ = run("dump", what, path)
        assert code == 0
        for text in out.splitlines():
            record = json.loads(text)
            assert text == json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def test_dump_of_a_damaged_file_ends_with_an_error_record(first: Path, run, tmp_path: Path):
    cut = tmp_path / "cut.pdb"
    cut.write_bytes(first.with_suffix(".pdb").read_bytes()[:-1])
    code, out, err = run("dump", "pdb", cut)
    assert code == 2
    assert json.loads(out.splitlines()[-1]) == {"k": "error", "type": "BadImageFormatException"}
    assert str(cut) in err
    windows = tmp_path / "windows.pdb"
    windows.write_bytes(b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0" + bytes(500))
    code, _, err = run("info", windows)
    assert code == 2
    assert "Windows PDB" in err


def test_missing_file_is_one_line_on_stderr(run, tmp_path: Path):
    code, out, err = run("info", tmp_path / "none.dll")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_output_into_a_closed_pipe_is_no_traceback(first: Path):
    command = [sys.executable, "-m", "portablepdb", "dump", "asm", str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_il_wants_the_token_of_a_method(first: Path, run):
    for token in ("0x02000002", "0x1", "0x0a000001"):
        code, out, err = run("il", first, token)
        assert (code, out) == (2, "")
        assert "not the token of a method" in err
        assert run("lines", first, token)[0] == 2
    assert "not a token" in run("il", first, "0xnonsense")[2]


def test_every_command_takes_the_image_its_pdb_and_an_image_with_an_embedded_one(first: Path, compiled, run):
    embedded = compiled("first.cs", "-debug:embedded", "-embed", "-deterministic+", "-pathmap:/=/_/")
    pdb = first.with_suffix(".pdb")
    for arguments in (
        ("info",),
        ("documents",),
        ("lines",),
        ("bind", "first.cs", "31"),
        ("il", "First.Program.Main"),
        ("dump", "pdb"),
        ("dump", "asm"),
        ("dump", "meta"),
    ):
        outputs = []
        for file in (first, pdb, embedded):
            words = [*arguments[:2], file] if arguments[0] == "dump" else [arguments[0], file, *arguments[1:]]
            code, out, err = run(*words)
            assert (code, err) == (0, ""), words
            outputs.append(out)
        if arguments[0] in ("bind", "dump", "il") and "meta" not in arguments:
            assert outputs[0] == outputs[1]


def test_il_takes_the_name_that_find_method_takes_too(compiled, run):
    outer = compiled("features.cs", "-debug:portable", "-optimize-", "-define:DEBUG")
    written = run("il", outer, "Features.Outer<T>.Inner<U>..ctor")
    code, out, err = run("il", outer, "Features.Outer`1+Inner`1..ctor")
    assert (code, err) == (0, "")
    assert written[0] == 1
    assert out.count(".method ") == 1


def test_lines_of_an_async_method_say_where_its_statements_are(first: Path, run):
    with Assembly.open(first) as assembly, PortablePdb.open(first.with_suffix(".pdb")) as pdb:
        wait = assembly.metadata.find_method("First.Program.Wait")
        machine = pdb.state_machine_of(wait)
    code, out, err = run("lines", first, wait)
    assert (code, out, err) == (1, "", f"portablepdb: {wait} has no points: its statements are in {machine}\n")
    assert run("lines", first, machine)[0] == 0


def test_il_of_a_pdb_without_its_image_says_so(first: Path, run, tmp_path: Path):
    alone = tmp_path / "first.pdb"
    alone.write_bytes(first.with_suffix(".pdb").read_bytes())
    code, _, err = run("il", alone)
    assert code == 2
    assert "no image of its build" in err
