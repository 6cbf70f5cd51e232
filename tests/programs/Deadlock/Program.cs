using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Deadlock
{
    // Two threads that wait for each other's locks for ever, and one for a pulse; where there is System.Threading.Lock, two
    // more that wait for each other's; others that wait for ends of threads and tasks, events and so on. It does not end.
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
            Start("joins", WaitForThread);
            Start("waits", WaitForTask);
            Start("result", () => Console.WriteLine(Outer().Result));
            Start("set", () => new ManualResetEventSlim().Wait());
            Start("handle", WaitForHandle);
            Start("count", () => new SemaphoreSlim(0).Wait());
            Start("counted", () => { var taken = new SemaphoreSlim(0); taken.WaitAsync(); taken.Wait(); });
            Start("old-writer", () => { Old.AcquireWriterLock(-1); Held.SignalAndWait(); Thread.Sleep(Timeout.Infinite); });
            Start("old-reader", () => { Held.SignalAndWait(); Old.AcquireReaderLock(-1); });
            Start("item", () => new BlockingCollection<int>().Take());
            Start("writer", () => { Readers.EnterWriteLock(); Written.SignalAndWait(); Thread.Sleep(Timeout.Infinite); });
            Start("reader", () => { Written.SignalAndWait(); Readers.EnterReadLock(); });
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

        private static readonly ReaderWriterLockSlim Readers = new ReaderWriterLockSlim();
        private static readonly Barrier Written = new Barrier(2);
        private static readonly ReaderWriterLock Old = new ReaderWriterLock();
        private static readonly Barrier Held = new Barrier(2);

        private static void WaitForThread()
        {
            object mine = new object();
            lock (mine)
            {
                Thread joined = new Thread(() => { lock (mine) { } }) { Name = "joined", IsBackground = true };
                joined.Start();
                joined.Join(); // @joins
            }
        }

        private static void WaitForTask()
        {
            object mine = new object();
            lock (mine)
            {
                Task.Factory.StartNew(() => { lock (mine) { } }, TaskCreationOptions.LongRunning).Wait(); // @waits
            }
        }

        private static async Task<int> Outer()
        {
            return await Inner() + 1; // @await-inner
        }

        private static async Task<int> Inner()
        {
            await Task.Delay(Timeout.Infinite); // @await-delay
            return 1;
        }

        private static void WaitForHandle()
        {
            AutoResetEvent handle = new AutoResetEvent(false);
            handle.WaitOne();
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
