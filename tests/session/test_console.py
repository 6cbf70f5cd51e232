"""What is typed in the debug console and in watches: statements, kept objects and variables, format specifiers."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import line_of


@pytest.fixture
def stopped(session):
    session.client.initialize(supportsInvalidatedEvent=True)
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    session.debuggee.evaluations.callees["Deposit"] = lambda by: by.value + 10
    return session


def evaluate(session, expression, context="repl"):
    return session.client.evaluate(expression, context=context).result


def test_several_statements_are_run_and_the_last_one_answers(stopped):
    assert evaluate(stopped, "total = 5; i = total + 1; i") == "6"
    assert evaluate(stopped, "total;") == "5"
    assert evaluate(stopped, "?total") == "5"
    assert evaluate(stopped, '"a;b"; point.Name') == '"four"'
    for text in (";", "total;;", "; total", "total; nobody"):
        with pytest.raises(DapRequestError):
            evaluate(stopped, text)
    with pytest.raises(DapRequestError, match="CS1525"):
        evaluate(stopped, "total; i", "watch")


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("$pid == $tid", "true"),
        ("$tid.ToString().Length > 0", None),
        ("1 + $pid - $pid", "1"),
        ("$tid", None),
    ],
)
def test_special_names_stand_anywhere(stopped, expression, shown):
    if shown is not None:
        assert evaluate(stopped, expression) == shown
    elif "ToString" not in expression:
        assert evaluate(stopped, expression) == str(stopped.debuggee.thread)


def test_special_name_without_a_value_says_so(stopped):
    for expression in ("1 + $exception.X", "$exception", '$"{$exception}"'):
        with pytest.raises(DapRequestError, match="No exception is being raised"):
            evaluate(stopped, expression)
    for expression in ("$nobody", "$7", "total + $", "$ total"):
        with pytest.raises(DapRequestError, match="CS"):
            evaluate(stopped, expression)
    with pytest.raises(DapRequestError, match=r"unexpected '\$?pid"):
        evaluate(stopped, "total $pid")


def test_object_has_an_id_until_it_is_forgotten(stopped):
    assert evaluate(stopped, "point,makeid") == "{Point} {$1}"
    assert evaluate(stopped, "point,makeid") == "{Point} {$1}"
    assert evaluate(stopped, "point.Next,makeid") == "{Point} {$2}"
    assert evaluate(stopped, "$1.X + Deposit(1)") == "15"
    assert evaluate(stopped, "$1 == point && $2 != $1", "watch") == "true"
    assert evaluate(stopped, "$1.X = 9; point.X") == "9"
    stopped.client.continue_()
    stopped.client.wait_for_stop()
    assert evaluate(stopped, "$1.Name") == '"four"'
    assert evaluate(stopped, ".forget $1") == "$1 is forgotten"
    for text in ("$1.Name", ".forget $1", "total,makeid", "null,makeid"):
        with pytest.raises(DapRequestError):
            evaluate(stopped, text)
    assert evaluate(stopped, "$2 != null") == "true"


def test_variable_of_the_console_lives_for_the_session(stopped):
    assert evaluate(stopped, "var t = total + 41") == "41"
    assert evaluate(stopped, "t + 1") == "42"
    assert evaluate(stopped, "var p = point; p.X") == "4"
    assert evaluate(stopped, 'var text = "new"; text ?? "old"') == '"new"'
    stopped.client.continue_()
    stopped.client.wait_for_stop()
    assert evaluate(stopped, "p.Name") == '"four"'
    assert evaluate(stopped, "var t = 3; t") == "3"
    assert evaluate(stopped, "numbers[t - 1]") == "3"
    for text, said in (("var total = 1", "CS0128"), ("var n = null", "CS0815"), ("var f = x => x", "CS8917")):
        with pytest.raises(DapRequestError, match=said):
            evaluate(stopped, text)
    with pytest.raises(DapRequestError):
        evaluate(stopped, "var w = 1", "watch")


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("total + 255,h", "0x000000ff"),
        ("total + 255,x", "0x000000ff"),
        ("total + 5,b", "0b0000_0000_0000_0000_0000_0000_0000_0101"),
        ("point.Name,nq", "four"),
        ("point.Name,b", '"four"'),
        ("total + 255,d", "255"),
        ("numbers,[2]", "{int[3]}"),
        ("numbers,raw", "{int[3]}"),
        ("numbers.Length,nse", "3"),
        ("total,ac,nse", "0"),
    ],
)
def test_format_specifier_is_followed(stopped, expression, shown):
    assert evaluate(stopped, expression, "watch") == shown


def test_count_limits_the_elements(stopped):
    answer = stopped.client.evaluate("numbers,[2]")
    assert answer.indexed_variables == 2
    assert [one.value for one in stopped.client.variables(answer.variables_reference)] == ["1", "2"]
    assert stopped.client.evaluate("numbers,[9]").indexed_variables == 3


def test_nothing_runs_for_a_hover_or_without_side_effects(stopped):
    for expression, context, remedy in (
        ("Deposit(1),nse", "hover", "evaluate it in a watch or the debug console, without ,nse$"),
        ("Deposit(1),nse", "watch", "evaluate it in a watch or the debug console, without ,nse$"),
        ("Deposit(1),nse", "repl", "allowed here: evaluate it without ,nse$"),
    ):
        with pytest.raises(DapRequestError, match=remedy):
            evaluate(stopped, expression, context)
    assert evaluate(stopped, "Deposit(1)", "hover") == "runs code: add to watch"
    assert "call" not in stopped.debuggee.calls
    assert evaluate(stopped, "Deposit(1)", "watch") == "11"


def test_settings_that_forbid_calls_hold_for_watches(session):
    session.launch(line_of("call"), expressionEvaluationOptions={"allowImplicitFuncEval": False})
    session.client.wait_for_stop()
    session.debuggee.evaluations.callees["Deposit"] = lambda by: by.value + 10
    assert evaluate(session, "Deposit(1)", "hover") == "runs code: type it in the debug console"
    for context in ("watch", "clipboard"):
        with pytest.raises(DapRequestError, match="allowImplicitFuncEval is false; evaluate it in the debug"):
            evaluate(session, "Deposit(1)", context)
    assert evaluate(session, "Deposit(1),ac", "watch") == "11"
    assert evaluate(session, "Deposit(1)") == "11"


def test_arguments_are_evaluated_once_and_not_for_a_method_that_is_missing(stopped):
    stopped.client.continue_()
    stopped.client.wait_for_stop()
    assert evaluate(stopped, "total = 5; Deposit(total++); total") == "6"
    with pytest.raises(DapRequestError):
        evaluate(stopped, "numbers.Nothing(total++)")
    assert evaluate(stopped, "total") == "6"
