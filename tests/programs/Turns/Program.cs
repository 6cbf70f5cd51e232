using System;
using System.Threading;

namespace Turns
{
    // Threads that do the same at once, for ever: a stop of one interrupts the others anywhere. Or one that sleeps.
    public static class Program
    {
        private static readonly object Gate = new object();
        private static int calls;

        public static void Main(string[] args)
        {
            if (args[0] == "sleep")
            {
                Sleep();
            }
            for (int i = 1; i <= 3; i++)
            {
                int number = i;
                Action<int> run = Work;
                if (args[0] == "throw")
                {
                    run = Throw;
                }
                new Thread(() => run(number)) { Name = "worker " + number }.Start();
            }
        }

        private static void Work(int number)
        {
            for (int i = 0; ; i++) // @loop
            {
                int first = Inner(number, i); // @first
                int second = Inner(number, first); // @second
                lock (Gate) // @lock
                { // @enter
                    second++; // @locked
                } // @leave
                if (second == 0) // @if
                {
                    Console.WriteLine(number);
                }
            } // @again
        }

        private static void Throw(int number)
        {
            for (int i = 0; ; i++)
            {
                int twice = i * 2;
                try
                {
                    string text = number % 2 == 0 ? "even" : "odd"; // @try
                    throw new InvalidOperationException(text); // @throw
                }
                catch (InvalidOperationException) // @catch
                {
                    Interlocked.Increment(ref calls); // @caught
                }
            }
        }

        private static int Inner(int number, int i)
        {
            int all = number * 1000 + i; // @inner
            Interlocked.Increment(ref calls); // @increment
            return all; // @return
        }

        private static void Sleep()
        {
            Console.WriteLine("READY");
            while (true)
            {
                Thread.Sleep(200); // @sleep
                calls++; // @woken
            }
        }
    }
}
