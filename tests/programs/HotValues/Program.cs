using System;
using System.Collections.Generic;

namespace HotValues
{
    public enum Color
    {
        Red,
        Green,
        Blue,
    }

    public struct Pair
    {
        public int Left;
        public long Right;
    }

    public class Node
    {
        public int Value;
        public string Name;
        public Node Next;
        public object Boxed;
        public Pair Pair;
    }

    public class Heavy : Node
    {
        public double Weight;
        public int[] Parts;
    }

    // A method that is passed many times with other values each time: null now and then, objects of two types, arrays
    // of many lengths. The first argument is the number of rounds.
    public class Program
    {
        private static long seen;

        private int field;
        private string text = "";
        private int[] numbers = { 1, 2, 3 };
        private string[] words = { "zero", "one", null, "thr\u00e9e", "\ud83d\ude00", "\ud800" };
        private Node head;
        private int? maybe;
        private Color color;
        private decimal money;
        private List<int> list = new List<int> { 5, 6, 7 };
        private int[,] grid = { { 1, 2 }, { 3, 4 } };

        public int Field
        {
            get { return field; }
        }

        public int Counted { get; set; }

        private void Test(int argument, string word, Node node, object any, ref int reference)
        {
            int local = argument * 2; // @begin
            byte small = (byte)argument;
            long wide = -argument;
            field = argument; // @first
            text = word; // @second
            head = node; // @third
            maybe = argument % 3 == 0 ? (int?)null : argument; // @fourth
            color = (Color)(argument % 3); // @fifth
            seen += local + small + wide + reference; // @last
        }

        private int Hot(int argument, string word)
        {
            int local = argument * 2;
            field = argument;
            return local; // @hot
        }

        private void Round(int i)
        {
            Node node = i % 5 == 0 ? null : i % 2 == 0 ? new Node() : new Heavy { Weight = i / 4.0, Parts = new int[i % 4] };
            if (node != null)
            {
                node.Value = i;
                node.Name = i % 7 == 0 ? null : "node " + i;
                node.Next = i % 3 == 0 ? null : new Heavy { Value = -i, Name = "next", Weight = 1.5 };
                node.Boxed = i % 4 == 0 ? (object)i : i % 4 == 1 ? "text" : null;
                node.Pair = new Pair { Left = i, Right = (long)i << 40 };
            }
            numbers = new int[i % 4];
            for (int n = 0; n < numbers.Length; n++)
            {
                numbers[n] = i * 10 + n;
            }
            money = i / 8m;
            Counted = i;
            int reference = i;
            Test(i, i % 6 == 0 ? null : words[i % words.Length], node, i % 2 == 0 ? (object)node : i, ref reference);
        }

        public static int Main(string[] args)
        {
            int rounds = args.Length > 0 ? int.Parse(args[0]) : 20; // @start
            var program = new Program();
            program.text = new string('x', 3000);
            if (args.Length > 1)
            {
                for (int i = 0; i < rounds; i++)
                {
                    program.Hot(i, "word"); // @call
                }
            }
            else
            {
                for (int i = 0; i < rounds; i++)
                {
                    program.Round(i);
                }
            }
            Console.WriteLine("seen " + seen); // @end
            return 0;
        }
    }
}
