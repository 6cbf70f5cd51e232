// The program that the fake debuggee "runs". Compiled once into Sample.dll beside it; README.md says how.
using System;

namespace Sample
{
    internal class Point
    {
        public int X;
        public string Name;
        public Point Next;
        public static int Made = 7;
    }

    internal class Trouble : Exception
    {
    }

    internal static class Program
    {
        private static int Add(int left, int right)
        {
            int sum = left + right; // add
            return sum; // added
        }

        private static int Main(string[] args)
        {
            int total = 0; // begin
            int[] numbers = { 1, 2, 3 };
            Point point = new Point { X = 4, Name = "four" };
            for (int i = 0; i < 3; i++) // loop
            {
                total = Add(total, numbers[i]); // call
            }

            Console.WriteLine(total); // print
            return total; // end
        }

        private static int balance;

        private static int Deposit(int by)
        {
            balance += by; // deposit
            return balance; // deposited
        }

        private static void Move(Point point, int by)
        {
            point.X += by; // move
        } // moved
    }
}
