"""A debug console that is a terminal."""

from __future__ import annotations

import os

import pytest

from dap_dotnet.errors import DebuggeeError, LaunchError
from dap_dotnet.launching.launcher import ExitStatus
from dap_dotnet.launching.pseudo_terminal import PseudoTerminal, with_terminal_type
from dap_dotnet.launching.terminal_text import TerminalText
from dap_dotnet.runtime.model import WindowSize
from tests.unit.launching.helpers import DEADLINE_SECONDS, is_gone, shell, wait_until

SIZE = WindowSize(columns=97, rows=23)


def run(start, output, script, *lines):
    launcher = start(*shell(script), takes_input=True, window=SIZE)
    launcher.open_gate()
    for awaited, line in lines:
        wait_until(lambda awaited=awaited: awaited in output.text(), f"{awaited!r} in the output")
        launcher.input.write(line)
    return launcher


def test_program_has_a_terminal_of_that_size(start, output):
    launcher = run(start, output, "test -t 0 && test -t 1 && test -t 2 && stty size")
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text() == "23 97\n"


def test_it_is_the_terminal_that_controls_the_program(start, output):
    launcher = run(start, output, "echo to the terminal >/dev/tty")
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text() == "to the terminal\n"


def test_lines_come_and_go(start, output):
    launcher = run(start, output, "echo ready; read line; echo got $line", ("ready", "a line\n"))
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text().replace("\r", "") == "ready\na line\ngot a line\n"  # a terminal shows what is typed


def test_ctrl_c_interrupts_the_program(start, output):
    launcher = run(start, output, "trap 'echo interrupted; exit 3' INT; echo ready; while :; do sleep 1; done")
    wait_until(lambda: "ready" in output.text(), "ready")
    launcher.input.interrupt()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(3)
    assert "interrupted\n" in output.text()


def test_ctrl_d_ends_the_input_and_the_terminal_stays(start, output):
    launcher = run(start, output, "echo ready; cat; echo end; read line; echo $line")
    wait_until(lambda: "ready" in output.text(), "ready")
    launcher.input.end()
    wait_until(lambda: "end" in output.text(), "the end of the input")
    launcher.input.write("more\n")
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text().endswith("more\n")


def test_order_of_output_and_error_is_kept_and_the_last_words_come(start, output):
    launcher = run(start, output, "for n in 1 2 3 4 5 6 7 8 9; do echo o$n; echo e$n >&2; done")
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text().split() == [f"{letter}{n}" for n in range(1, 10) for letter in "oe"]


def test_much_output_comes_whole(start, output):
    launcher = run(start, output, "seq 1 200000")
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text() == "".join(f"{n}\n" for n in range(1, 200_001))


def test_query_for_the_cursor_is_answered(start, output):
    script = r"stty -icanon -echo; printf 'abc\033[6n'; dd bs=1 count=7 2>/dev/null | od -An -c"
    launcher = run(start, output, script)
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text().split() == ["abc", "033", "[", "2", "3", ";", "4", "R"]


def test_input_of_a_program_that_is_gone_is_refused(start, output):
    launcher = run(start, output, "exit 0")
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    launcher.close()
    with pytest.raises(DebuggeeError, match="no longer reads its input"):
        launcher.input.write("x")


def test_input_that_nobody_reads_does_not_make_us_wait(start, output):
    launcher = run(start, output, "stty raw; echo ready; exec sleep 60")
    wait_until(lambda: "ready" in output.text(), "ready")
    with pytest.raises(DebuggeeError, match="does not read its input"):
        launcher.input.write("x" * 10_000_000)


def test_program_that_is_released_lives_on_with_its_terminal(start, output, tmp_path):
    script = "echo ready; while ! test -e go; do sleep 0.01; done; seq 1 100000; touch written; exec sleep 60"
    launcher = run(start, output, script)
    wait_until(lambda: "ready" in output.text(), "ready")
    launcher.release()
    (tmp_path / "go").touch()
    wait_until((tmp_path / "written").exists, "all is written")
    assert not is_gone(launcher.process_id)
    os.kill(launcher.process_id, 9)


def test_without_pseudo_terminals_the_launch_is_refused_in_words(monkeypatch):
    def none_left():
        raise OSError(2, "No such file or directory")

    monkeypatch.setattr(os, "openpty", none_left)
    with pytest.raises(LaunchError, match="integratedTerminal"):
        PseudoTerminal(SIZE)


@pytest.mark.parametrize(
    ("own", "kind"), [({}, "xterm-256color"), ({"TERM": "dumb"}, "xterm-256color"), ({"TERM": "vt100"}, "vt100")]
)
def test_terminal_has_a_type(own, kind):
    assert with_terminal_type({"A": "1", **own}) == {"A": "1", "TERM": kind}


# what is shown of what is written


@pytest.mark.parametrize(
    ("written", "shown", "answers"),
    [
        ("plain\n", "plain\n", ""),
        ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m", ""),
        ("\x1b[38;2;1;2;3mx\x1b[4:3my\x1b[m", "\x1b[38;2;1;2;3mx\x1b[4:3my\x1b[m", ""),
        ("\x1b[?1h\x1b=keys\x1b[?1l\x1b>", "keys", ""),
        ("\x1b[H\x1b[2J\x1b[3Jcleared", "cleared", ""),
        ("\x1b]0;title\x07text", "text", ""),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", ""),
        ("\x1b(Bx", "x", ""),
        ("ab\x1b[6n", "ab", "\x1b[23;3R"),
        ("ab\n\x1b[6n\x1b[5n", "ab\n", "\x1b[23;1R\x1b[0n"),
        ("x" * 100 + "\x1b[6n", "x" * 100, "\x1b[23;4R"),
        ("\x1b[>4;1m", "", ""),
        ("\x1b\x1b[1mx", "\x1b\x1b[1mx", ""),
    ],
)
def test_what_only_a_screen_can_do_is_left_out(written, shown, answers):
    whole = TerminalText(97, 23)
    assert whole.feed(written) == (shown, answers)
    for cut in range(1, len(written)):  # however it comes
        text = TerminalText(97, 23)
        (one, first), (two, second) = text.feed(written[:cut]), text.feed(written[cut:])
        assert (one + two + text.rest(), first + second) == (shown, answers)


def test_sequence_that_never_ends_is_shown_in_the_end():
    text = TerminalText(80, 24)
    assert text.feed("a\x1b[3") == ("a", "")
    assert text.rest() == "\x1b[3"
    assert text.feed("\x1b]" + "x" * 10_000)[0] == "\x1b]" + "x" * 10_000
