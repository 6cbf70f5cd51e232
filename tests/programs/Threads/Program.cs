using System;
using System.Threading;

namespace Threads
{
    // Four named threads besides Main: one waits for an event, one for a lock, one sleeps, one spins. With the argument
    // "tight" the last one calls nothing while it spins, where runtimes before 9 cannot stop it; the second argument is the
    // milliseconds that Main waits before it ends them all.
    public static class Program
    {
        private static readonly object Gate = new object();
        private static readonly ManualResetEventSlim Release = new ManualResetEventSlim();
        private static readonly ManualResetEventSlim Tight = new ManualResetEventSlim();
        private static volatile bool stop;
        private static long spins;

        public static int Main(string[] args)
        {
            using CountdownEvent started = new CountdownEvent(4);
            Monitor.Enter(Gate);
            Thread[] threads =
            {
                Start("waiter", started, Wait),
                Start("locker", started, Lock),
                Start("sleeper", started, Sleep),
                Start("spinner", started, args.Length > 0 && args[0] == "tight" ? (Action)SpinTightly : Spin),
            };
            started.Wait();
            if (args.Length > 0 && args[0] == "tight")
            {
                // Nothing that a debugger is told of may come after this: it would wait for the spinner.
                Console.WriteLine("all wait");
                Tight.Set();
                while (Interlocked.Read(ref spins) == 0)
                {
                    Thread.Sleep(1);
                }
                Console.WriteLine("spinning");
            }
            Thread.Sleep(args.Length > 1 ? int.Parse(args[1]) : 0); // @all-run
            Console.WriteLine("all started"); // @started
            stop = true; // @stop
            Release.Set();
            Monitor.Exit(Gate);
            foreach (Thread thread in threads)
            {
                thread.Join();
            }
            Console.WriteLine("all ended"); // @ended
            return 0;
        }

        private static Thread Start(string name, CountdownEvent started, Action body)
        {
            Thread thread = new Thread(() =>
            {
                started.Signal();
                body(); // @body
            })
            {
                Name = name,
            };
            thread.Start();
            return thread;
        }

        private static void Wait()
        {
            Release.Wait(); // @wait
        }

        private static void Lock()
        {
            lock (Gate) // @lock
            {
                spins++;
            }
        }

        private static void Sleep()
        {
            while (!stop)
            {
                Thread.Sleep(20); // @sleep
            }
        }

        private static void Spin()
        {
            while (!stop)
            {
                Count(); // @spin
            }
        }

        private static void SpinTightly()
        {
            Tight.Wait();
            while (!stop)
            {
                spins++; // @tight
            }
        }

        private static void Count()
        {
            spins++;
            Thread.Yield();
        }
    }
}
