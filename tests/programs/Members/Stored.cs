using System;
using System.Collections.Generic;
using System.Globalization;

namespace Members
{
    // Variables of all kinds in which the debugger stores; what the program finds afterwards is printed.
    public static class Stored
    {
        public static void Show()
        {
            sbyte small = 1;
            ulong great = 1;
            float single = 1;
            char letter = 'a';
            decimal money = 1.5m;
            string word = null;
            object boxed = 5;
            Rights rights = Rights.Read;
            Rights? maybeRights = null;
            int? maybe = 5;
            Pair pair = new Pair { Number = 1 };
            Pair other = new Pair { Number = 9, Inside = new Part { Name = "in" } };
            Pair? maybePair = pair;
            (int Low, (string, double) High) tuple = (1, ("n", 2));
            int[] row = { 1, 2, 3 };
            int[,] matrix = { { 1, 2 }, { 3, 4 } };
            Pair[] pairs = new Pair[2];
            List<int> list = new List<int> { 1, 2 };
            Kept kept = new Kept();
            ref int second = ref row[1];
            Change(ref row[2], 7); // @stored
            Print(
                small, great, single, letter, money, word, boxed, rights, maybeRights, maybe, pair.Number, pair.Inside.Name,
                maybePair?.Number, tuple, string.Join(",", row), matrix[1, 0], pairs[1].Inside.Name, list[1], kept.Clamped,
                kept.Automatic.Number, kept.Automatic.Inside.Name, second, other.Number);
        }

        private static void Change(ref int place, in int given)
        {
            Program.Use(given); // @change
            Print(place, given);
        }

        private static void Print(params object[] values)
        {
            foreach (object value in values)
                Console.Write((value == null ? "null" : Convert.ToString(value, CultureInfo.InvariantCulture)) + ";");
            Console.WriteLine();
        }
    }

    [Flags]
    public enum Rights : byte
    {
        None = 0,
        Read = 1,
        Write = 2,
    }

    public struct Part
    {
        public string Name;
    }

    public struct Pair
    {
        public int Number;
        public Part Inside;
    }

    public class Kept
    {
        private int _clamped;

        public readonly int Fixed = 7;

        public int Clamped
        {
            get => _clamped;
            set => _clamped = Math.Min(10, value);
        }

        public int Throws
        {
            get => 1;
            set => throw new InvalidOperationException("never");
        }

        public Pair Automatic { get; set; }
    }
}
