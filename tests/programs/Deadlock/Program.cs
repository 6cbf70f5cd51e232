using System;
using System.Threading;

namespace Deadlock
{
    // Two threads that wait for each other's locks for ever, and one for a pulse; where there is System.Threading.Lock, two
    // more that wait for each other's. It does not end.
    public static class Program
    {
        private static readonly object First = new object();
        private static readonly object Second = new object();
        private static readonly object Signal = new object();
        private static readonly Barrier Both = new Barrier(2);

        public static int Main(string[] args)
        {
            Start("one", () => Cross(First, Second));
            Start("two", () => Cross(Second, First));
            Start("pulse", WaitForPulse);
#if NET9_0_OR_GREATER
            Start("three", () => Cross(Third, Fourth));
            Start("four", () => Cross(Fourth, Third));
#endif
            Console.WriteLine("started");
            Thread.Sleep(Timeout.Infinite); // @sleeps
            return 0;
        }

        private static void Start(string name, ThreadStart body)
        {
            new Thread(body) { Name = name, IsBackground = true }.Start();
        }

        private static void Cross(object mine, object other)
        {
            lock (mine)
            {
                Both.SignalAndWait();
                lock (other) // @locks
                {
                    Console.WriteLine("never");
                }
            }
        }

        private static void WaitForPulse()
        {
            lock (Signal)
            {
                Monitor.Wait(Signal); // @pulse
            }
        }

#if NET9_0_OR_GREATER
        private static readonly Lock Third = new Lock();
        private static readonly Lock Fourth = new Lock();
        private static readonly Barrier Others = new Barrier(2);

        private static void Cross(Lock mine, Lock other)
        {
            lock (mine)
            {
                Others.SignalAndWait();
                lock (other) // @new-locks
                {
                    Console.WriteLine("never");
                }
            }
        }
#endif
    }
}
