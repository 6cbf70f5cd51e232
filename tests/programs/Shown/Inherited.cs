using System;
using System.Diagnostics;

namespace Shown
{
    // Members that classes override, hide and share the name of; and texts that ToString alone gives.
    public static class Inherited
    {
        public static void Show()
        {
            Plain overridden = new Overriding();
            Plain hidden = new HidingAgain();
            Uri completed = new Uri("HTTP://Example.org:80");
            Uri compressed = new Uri("http://example.org/a/../b/./c");
            Uri escaped = new Uri("http://example.org/%41%20b");
            Uri relative = new Uri("a/../b?c=%20", UriKind.Relative);
            Uri short_ = new Uri("https://example.org");
            decimal minusZero = new decimal(0, 0, 0, true, 1);
            Signed signed = Signed.Low | Signed.Top;
            Signed all = (Signed)(-1);
            Wrapping wrapping = new Wrapping { Inner = new Talking() };
            Marked marked = new Marked();
            Console.WriteLine("uris: " + completed + " " + compressed + " " + escaped + " " + relative + " " + short_);
            Console.WriteLine("others: " + minusZero + " " + signed + " " + all);
            Program.Use(overridden, hidden, completed, compressed, escaped, relative, short_); // @inherited
            Program.Use(minusZero, signed, all, wrapping, marked);
            Ending();
        }

        private static void Ending()
        {
            Endless endless = new Endless();
            Talking kept = new Talking();
            Program.Use(endless, kept); // @endless
        }
    }

    public class Plain
    {
        public virtual int Automatic { get; set; } = 1;

        public virtual int Computed { get; set; } = 10;

        public virtual int Kept { get; set; } = 5;

        public int Hidden { get; set; } = 2;

        public int Hides => 3;
    }

    public class Overriding : Plain
    {
        public override int Automatic { get; set; } = 2;

        public override int Computed => 20;
    }

    public class HidingAgain : Overriding
    {
        public new string Hidden => "three";

        public new int Hides => 30;

        public override int Automatic => 33;
    }

    public class Marked
    {
        [DebuggerDisplay("from {X} to {Y}")]
        public Point Field = new Point { X = 1, Y = 2 };

        [DebuggerDisplay("{X},{Y}", Name = "at {X}", Type = "place")]
        public Point Automatic { get; set; } = new Point { X = 3, Y = 4 }; // @automatic

        [DebuggerDisplay("twice {X}")]
        public Point Computed => Field; // @computed

        public readonly int Constant = 7;

        public Point Plain = new Point { X = 5, Y = 6 };

        [DebuggerDisplay("seven")]
        public int Number = 7;

        [DebuggerDisplay("{Length} long")]
        public string Words = "abc";

        [DebuggerDisplay("nothing")]
        public string Nothing = null;
    }

    [Flags]
    public enum Signed : sbyte
    {
        None = 0,
        Low = 1,
        Top = -128,
    }

    [DebuggerDisplay("around {Inner} and {Inner,nq}")]
    public class Wrapping
    {
        public Talking Inner;
    }

    [DebuggerDisplay("{Hang()}")]
    public class Endless
    {
        public int Hang()
        {
            while (true)
            {
            }
        }
    }

    public class Talking
    {
        public static int Calls;

        public override string ToString() => "call " + (Calls < 1000 ? "it" : "them") + string.Join("-", 1, 2);
    }
}
