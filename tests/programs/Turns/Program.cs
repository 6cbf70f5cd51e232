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
                new Thread(() => Work(number)) { Name = "worker " + number }.Start();
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
