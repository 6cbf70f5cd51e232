using System;
using System.Threading;

namespace Race
{
    // Threads that pass the same lines at the same time, and methods that only a call can evaluate. The arguments are
    // the number of threads and of the rounds of each.
    public static class Program
    {
        private static readonly object Gate = new object();
        private static int touched;
        private static int passed;

        // Counts its calls: an evaluation that runs twice, or not at all, is seen.
        public static int Touch(int value)
        {
            lock (Gate)
            {
                touched++;
            }
            return value;
        }

        // Lets the other threads get ahead.
        public static int Linger(int value)
        {
            Thread.Sleep(50);
            return value;
        }

        private static void Work(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                int mine = round + 1; // @pass
                Interlocked.Add(ref passed, mine - round); // @count
            }
        }

        public static int Main(string[] args)
        {
            int rounds = int.Parse(args[1]);
            Thread[] threads = new Thread[int.Parse(args[0])];
            for (int i = 0; i < threads.Length; i++)
            {
                threads[i] = new Thread(() => Work(rounds)) { Name = "worker " + i };
            }
            Console.WriteLine("begin"); // @begin
            foreach (Thread thread in threads)
            {
                thread.Start();
            }
            foreach (Thread thread in threads)
            {
                thread.Join();
            }
            Console.WriteLine($"passed {passed}, touched {touched}"); // @end
            return 0;
        }
    }
}
