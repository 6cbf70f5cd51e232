using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Remembered
{
    public class Entry
    {
        public int Number { get; set; }
        public decimal Amount { get; set; }
        public override string ToString() => $"#{Number}: {Amount}";
    }

    public static class Program
    {
        private static readonly List<Entry> Entries = new List<Entry>();
        private static readonly Dictionary<string, Entry> ByName = new Dictionary<string, Entry>();
        [ThreadStatic]
        private static int rounds;

        public static int Main(string[] args)
        {
            int last = int.Parse(args[0]);
            long state = 7;
            for (int i = 0; i < last; i++)
            {
                state = Next(state, i); // @loop
                Entries.Add(new Entry { Number = i, Amount = state }); // @add
                ByName["n" + i % 5] = Entries[i];
                rounds++;
                Console.WriteLine($"{i} {state} {rounds}"); // @end-of-round
            }

            Wait(state).Wait();
            throw new InvalidOperationException("ended at " + state); // @throw
        }

        private static long Next(long before, int by)
        {
            long next = (before * 31 + by) % 1_000_003; // @next
            return next;
        }

        private static async Task Wait(long state)
        {
            await Task.Yield();
            state++; // @awaited
        }
    }
}
