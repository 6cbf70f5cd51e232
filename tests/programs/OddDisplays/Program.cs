using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;

// Types that say in odd ways how they are shown.
namespace OddDisplays
{
    public class Ring
    {
        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public Ring Next;

        public int Number = 1;

        public Ring()
        {
            Next = this;
        }
    }

    [DebuggerTypeProxy(typeof(View))]
    public class Viewed
    {
        public int Number = 3;

        private class View
        {
            private readonly Viewed _viewed;

            public View(Viewed viewed)
            {
                _viewed = viewed;
            }

            public int Twice => _viewed.Number + _viewed.Number;
        }
    }

    [DebuggerTypeProxy(typeof(View))]
    public class Counted
    {
        public static int Views;

        private class View
        {
            public View(Counted counted)
            {
                Views++;
            }

            public int Answer => 42;
        }
    }

    public class Holder
    {
        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public Viewed Viewed = new Viewed();

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public Counted Counted = new Counted();
    }

    public class Keyed<TKey, TValue>
        where TValue : struct
    {
        public TKey Key;
        public TValue Value;

        public KeyValuePair<TKey, TValue> Entry
        {
            get
            {
                Console.Out.Flush();
                return new KeyValuePair<TKey, TValue>(Key, Value);
            }
        }

        public KeyValuePair<TKey, TValue>? Found() => Entry;

        public Dictionary<TKey, TValue>.Enumerator All() => new Dictionary<TKey, TValue>().GetEnumerator();
    }

    [DebuggerDisplay("{typeof(T).Name} {default(T)} {Value}")]
    public class Cell<T>
    {
        public T Value;
    }

    public class Words : Cell<string>
    {
    }

    public class Cells<T> : Cell<T[]>
    {
    }

    public class Spoken
    {
        public int Number = 1;

        public int Next => Number + 1;

        public string Running => string.Join("", new[] { Number, Next });

        public override string ToString() => "spoken " + Number;
    }

    public class Hiding : Spoken
    {
        public new string ToString() => "never";
    }

    public class HidingVirtually : Spoken
    {
        public new virtual string ToString() => "never";
    }

    public class OverridingHidden : HidingVirtually
    {
        public override string ToString() => "never";
    }

    public class SpokenAgain : Spoken
    {
        public override string ToString() => "again " + base.ToString();
    }

    public struct Counting
    {
        public static int Calls;

        public int Number;

        public override string ToString()
        {
            Calls++;
            return "number " + Number;
        }
    }

    public class Shared
    {
        public static int Changing = 1;

        public static readonly string Fixed = "f";

        static Shared()
        {
        }
    }

    public struct HidingStructure
    {
        public int Number;

        public new string ToString() => "never";
    }

    public static class Program
    {
        private static void Composed()
        {
            var counting = new Counting { Number = 7 };
            var pair = (counting, 1);
            var nested = (new Counting { Number = 1 }, (new Counting { Number = 2 }, "x"), (Counting?)null);
            var entry = new KeyValuePair<int, Counting>(1, counting);
            var anonymous = new { One = counting, Other = new Spoken() };
            var task = Task.FromResult(counting);
            var keyed = new Dictionary<(int, Counting), int> { [(1, counting)] = 5 };
            Console.WriteLine("" + pair + nested + entry + anonymous + task + keyed); // @composed
        }

        public static void Main(string[] arguments)
        {
            if (arguments.Length > 0)
            {
                Composed();
                return;
            }

            var ring = new Ring();
            var statics = new Shared();
            var shared = new Keyed<string, int> { Key = "k", Value = 1 };
            var number = new Cell<int> { Value = 3 };
            var words = new Words { Value = "w" };
            var cells = new Cells<int>();
            var holder = new Holder();
            var hiding = new Hiding();
            var hidingVirtually = new HidingVirtually();
            var overridingHidden = new OverridingHidden();
            var spokenAgain = new SpokenAgain();
            var hidingStructure = new HidingStructure();
            object[] all = { ring, holder, hiding, hidingVirtually, overridingHidden, spokenAgain, hidingStructure };
            Console.WriteLine(all.Length + number.Value + words.Value + cells.Value + shared.Entry + shared.Found() + shared.All() + statics); // @odd
        }
    }
}
