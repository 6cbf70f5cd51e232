using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Crashing
{
    public class Order
    {
        public int Id;
        public string Name;
        public List<string> Lines = new List<string>();

        public decimal Total { get; set; }
    }

    // Ends by an exception that nobody handles, with one thread that keeps a lock, one that waits for it, and an async method at an await.
    public static class Program
    {
        private static readonly object Gate = new object();
        private static readonly ManualResetEventSlim Kept = new ManualResetEventSlim();
        private static readonly Dictionary<string, Order> Orders = new Dictionary<string, Order>();
        private static int counter = 41;

        public static void Main()
        {
            Order order = new Order { Id = 7, Name = "Ann", Total = 12.5m };
            order.Lines.Add("one");
            order.Lines.Add("two");
            Orders["a"] = order;
            Task<int> later = Later(5);
            new Thread(Keep) { Name = "keeper", IsBackground = true }.Start();
            Kept.Wait();
            Thread waiter = new Thread(Wait) { Name = "waiter", IsBackground = true };
            waiter.Start();
            while ((waiter.ThreadState & ThreadState.WaitSleepJoin) == 0)
            {
                Thread.Sleep(1);
            }
            int[] numbers = { 1, 2, 3 };
            (int A, string B) pair = (1, "two");
            DateTime when = new DateTime(2024, 5, 6);
            Handle(order, 0);
            GC.KeepAlive(new object[] { later, numbers, pair, when });
        }

        private static void Handle(Order order, int depth)
        {
            string text = "deep " + depth;
            if (depth < 3)
            {
                Handle(order, depth + 1);
                return;
            }
            counter++;
            try
            {
                int.Parse("x");
            }
            catch (FormatException error)
            {
                throw new InvalidOperationException("cannot handle " + order.Name + text, error); // @throw
            }
        }

        private static async Task<int> Later(int n)
        {
            string held = "in async " + n;
            await Task.Delay(1_000_000);
            return held.Length;
        }

        private static void Keep()
        {
            lock (Gate)
            {
                Kept.Set();
                Thread.Sleep(1_000_000);
            }
        }

        private static void Wait()
        {
            lock (Gate)
            {
                counter = 0;
            }
        }
    }
}
