using System;
using System.Diagnostics;

// Calls that come back to themselves for ever, and some that only look so.
public class Interpolated
{
    public override string ToString() => $"{this} of {GetHashCode()}";
}

public class Formatted
{
    public override string ToString() => string.Format("{0} of {1}", this, GetHashCode());
}

public class Concatenated
{
    public override string ToString() => "this is " + this;
}

public class Selfish : Exception
{
    public override string Message => "this is " + this;
}

public class Parent
{
    public Child Only;

    public override string ToString() => "parent of " + Only;
}

public class Child
{
    public Parent Of;

    public override string ToString() => Environment.NewLine + "child of " + Of;
}

[DebuggerDisplay("{Shown}")]
public class Displayed
{
    public string Shown => Shown;

    public int First => Second + 1;

    public int Second => First - 1;
}

public class Countdown
{
    public int From = 3;

    public override string ToString() => From-- > 0 ? Environment.NewLine.Length + ToString() : "off";
}

public class Lazily
{
    private string text;

    public string Text => text ?? Make();

    public override string ToString() => Text + 1.5m;

    private string Make()
    {
        System.Threading.Interlocked.Exchange(ref text, "made");
        return Text;
    }
}

public class Node
{
    public Node Next;

    public override string ToString() => Environment.NewLine.Length + " " + Next;
}

public class Other : IFormattable
{
    public override string ToString() => string.Format("{0}", this);

    public string ToString(string format, IFormatProvider provider) => "formatted " + Environment.NewLine.Length;
}

public static class Program
{
    public static void Main(string[] arguments)
    {
        var interpolated = new Interpolated();
        var formatted = new Formatted();
        var concatenated = new Concatenated();
        var selfish = new Selfish();
        var parent = new Parent { Only = new Child() };
        parent.Only.Of = parent;
        var childless = new Parent();
        var displayed = new Displayed();
        var countdown = new Countdown();
        var nodes = new Node { Next = new Node { Next = new Node() } };
        var other = new Other();
        var lazily = new Lazily();
        Console.WriteLine(arguments.Length); // @here
        if (arguments.Length > 0)
        {
            Deep(1 << 30);
        }

        GC.KeepAlive(new object[] { interpolated, formatted, concatenated, selfish, parent, childless, displayed, countdown, nodes, other, lazily });
    }

    private static int Deep(int depth) => depth < 0 ? depth : Deep(depth + step) + 1;

    private static int step = 1;
}
