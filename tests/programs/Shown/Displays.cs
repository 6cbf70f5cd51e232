using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace Shown
{
    // Types with the attributes that tell a debugger how to show them.
    public static class Displays
    {
        public static void Show()
        {
            Customer customer = new Customer { Name = "Ann", Age = 42 };
            Derived derived = new Derived { Name = "Bob", Age = 7 };
            Order order = new Order { Buyer = customer, Number = 255 };
            Hidden hidden = new Hidden();
            Ring ring = new Ring();
            ring.Next = ring;
            Braces braces = new Braces();
            Typed typed = new Typed();
            Typed[] typedOnes = { typed, new Typed { Size = 10 }, new Typed { Size = 10 } };
            Dictionary<int, Typed> typedByNumber = new Dictionary<int, Typed> { [1] = typed };
            Dictionary<Said, int> bySaid = new Dictionary<Said, int> { [new Said { Words = new[] { "z" } }] = 1 };
            Dictionary<object, string> byObject = new Dictionary<object, string> { [new Running()] = "r", [new Spoken()] = "s" };
            Broken broken = new Broken();
            Misspelt misspelt = new Misspelt();
            Running running = new Running();
            Computed computed = new Computed { Width = 3, Height = 4 };
            Customer[] customers = { customer };
            Shadowing shadowing = new Shadowing();
            Shadowed asBase = shadowing;
            Point? maybePoint = new Point { X = 1, Y = 2 };
            Spoken spoken = new Spoken();
            Said said = new Said { Words = new[] { "x", "y" } };
            Said? maybeSaid = said;
            Silent silent = new Silent();
            Func<string> ofObject = said.ToString;
            Func<int, string> ofType = Speak;
            Type listType = typeof(List<int>);
            Program.Use(misspelt, ofObject, ofType, listType, typedOnes, typedByNumber, bySaid, byObject);
            Program.Use(customer, derived, order, hidden, ring, braces, typed, broken, running, computed, customers); // @displays
            Program.Use(shadowing, asBase, maybePoint, spoken, said, maybeSaid, silent);
            Console.WriteLine(Running.Calls + Computed.Calls);
            foreach (int number in Guarded(4))
            {
                Console.WriteLine(number);
            }
        }

        private static IEnumerable<int> Guarded(int count)
        {
            int doubled = count * 2;
            try
            {
                yield return doubled;
            }
            finally
            {
                Console.WriteLine(doubled); // @finally
            }
        }

        private static string Speak(int times) => new string('!', times);
    }

    [DebuggerDisplay("{Name,nq} ({Age})")]
    public class Customer
    {
        public string Name { get; set; }
        public int Age;
    }

    public class Derived : Customer
    {
    }

    [DebuggerDisplay("Order {Number,h}: {Buyer}, {Buyer.Name}, {Number + 1}, {IsBig}")]
    public struct Order
    {
        public Customer Buyer;
        public int Number;
        public bool IsBig => Number > 100;
    }

    public class Hidden
    {
        [DebuggerBrowsable(DebuggerBrowsableState.Never)]
        public int Secret = 1;

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public int[] Items = { 5, 6 };

        [DebuggerBrowsable(DebuggerBrowsableState.Never)]
        public int Also { get; set; } = 2;

        protected int guarded = 3;
        internal int within = 4;

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public List<string> Names { get; } = new List<string> { "n" };

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public Point Place = new Point { X = 7, Y = 8 };

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public string Nothing;

        [DebuggerBrowsable(DebuggerBrowsableState.Collapsed)]
        public int After => 9;
    }

    public class Shadowed
    {
        public int X = 1;
        public int @class = 2;
    }

    public class Shadowing : Shadowed
    {
        public new int X = 10;

        public int Settable { get; set; } = 3;

        public int Fixed { get; } = 4;
    }

    [DebuggerDisplay("-> {Next}")]
    public class Ring
    {
        public Ring Next;
    }

    [DebuggerDisplay(@"\{{One}\}")]
    public class Braces
    {
        public int One = 1;
    }

    [DebuggerDisplay("text", Type = "a type of {Size}", Name = "number {Size}")]
    public class Typed
    {
        public int Size = 9;
    }

    [DebuggerDisplay("{NoSuchMember} {")]
    public class Broken
    {
    }

    // Each hole is told apart: what cannot be bound, what throws, what is null, and what is as it should be.
    [DebuggerDisplay("{Name,nq}: {Nmae}, {Fails}, {Next.Name}, {Name:C}, {Name.Length}")]
    public class Misspelt
    {
        public string Name = "x";
        public Misspelt Next;
        public int Fails => throw new InvalidOperationException("no\nsecond line");
    }

    [DebuggerDisplay("{Run()}")]
    public class Running
    {
        public static int Calls;

        public int Run()
        {
            Calls++;
            return 1;
        }
    }

    // Says something that can be read.
    public class Spoken
    {
        private readonly string text = "number 3 of words";

        public override string ToString() => text;
    }

    // Says something that takes a call.
    public struct Said
    {
        public string[] Words;

        public override string ToString() => "said: " + string.Join(", ", Words);
    }

    public class Silent
    {
        public override string ToString() => throw new InvalidOperationException("Silence");
    }

    public struct Computed
    {
        public static int Calls;
        public int Width;
        public int Height;

        public int Area => Width * Height;

        public int Counted
        {
            get
            {
                Calls++;
                return Calls;
            }
        }

        public int this[int index] => index;
    }
}
