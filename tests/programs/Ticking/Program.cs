using System;
using System.Threading;

namespace Ticking
{
    // A thread that counts while Main looks how far it comes in some time; at last one that keeps a lock until Main waits for it.
    public static class Program
    {
        private static readonly object Gate = new object();
        private static readonly ManualResetEventSlim Locked = new ManualResetEventSlim();
        private static long ticks;
        private static volatile bool isAtLock;
        private static volatile bool stop;
        private static Thread main;

        public static int Main()
        {
            main = Thread.CurrentThread;
            Thread ticker = new Thread(Tick) { Name = "ticker" };
            ticker.Start();
            while (Interlocked.Read(ref ticks) < 3)
            {
                Thread.Sleep(1);
            }
            long alone = Look(); // @alone
            long frozen = Look(); // @frozen
            WaitForTick(); // @thawed
            Console.WriteLine(alone + frozen); // @looked
            new Thread(Keep).Start();
            Locked.Wait();
            isAtLock = true;
            lock (Gate) // @lock
            {
                stop = true; // @has-lock
            }
            return 0;
        }

        private static long Look()
        {
            long before = Interlocked.Read(ref ticks);
            Thread.Sleep(50);
            return Interlocked.Read(ref ticks) - before;
        }

        private static void WaitForTick()
        {
            long before = Interlocked.Read(ref ticks);
            while (Interlocked.Read(ref ticks) == before)
            {
                Thread.Sleep(1);
            }
        }

        private static void Tick()
        {
            while (!stop)
            {
                Interlocked.Increment(ref ticks);
                Thread.Sleep(1); // @tick
            }
        }

        private static void Keep()
        {
            lock (Gate)
            {
                Locked.Set();
                while (!isAtLock || (main.ThreadState & ThreadState.WaitSleepJoin) == 0)
                {
                    Thread.Sleep(1); // until Main waits for the lock
                }
            }
        }
    }
}
