using System;
using System.Collections.Generic;

namespace Layouts
{
    public struct Wrapped<T>
    {
        public T Value;
    }

    public struct Around
    {
        public Wrapped<int> Inner;
        public int Number;

        public int Count() => ++Number;
    }

    public class Holder
    {
        public (string, (int, bool)) Pair = ("a", (1, true));
        public int Last = 3;
        public static (string Key, int N, (bool Ok, int? Most) More) Shared = ("k", 3, (true, 5));
    }

    // Structures of generic structures, of which the debugger's library of .NET 8 and older cannot tell the layout.
    public static class Program
    {
        public static void Main()
        {
            Wrapped<Wrapped<int>> nested = default;
            (string, int?) optional = ("b", 2);
            var holder = new Holder();
            var list = new List<(string, int?)> { optional };
            Span<Around> around = stackalloc Around[2];
            around[1] = new Around { Inner = new Wrapped<int> { Value = 7 }, Number = 8 };
            Console.WriteLine(around[1].Number);
            Console.WriteLine(nested.Value.Value + optional.Item1 + holder.Last + list.Count + Holder.Shared.N); // @here
        }
    }
}
