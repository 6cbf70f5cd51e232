// Properties and indexers that return references, and spans of references: what is assigned through them.
using System;

namespace RefReturns
{
    public struct Point
    {
        public int X;
        public string Name;
    }

    public class Cells
    {
        public int[] Numbers = { 1, 2, 3 };
        public string[] Names = { "a", "b" };
        public Point[] Points = new Point[2];
        public int Reads;
        private static int shared = 4;
        public ref int First => ref Numbers[0];
        public ref string Name => ref Names[1];
        public ref Point Whole => ref Points[1];
        public ref readonly int Fixed => ref Numbers[1];
        public static ref int Shared => ref shared;
        public ref int At(int index) => ref Numbers[index];
        public ref T Pick<T>(T[] items, int index = 0) => ref items[index];
        public static ref int Common() => ref shared;
        public ref readonly int Only(int index) => ref Numbers[index];
        public int Plain(int index) => Numbers[index];
        public ref int this[int index] => ref Numbers[index];
        public ref string this[string name] => ref Names[name.Length];
        public virtual ref int Counted
        {
            get
            {
                Reads++;
                GC.KeepAlive(new object());
                return ref Numbers[2];
            }
        }
        public virtual ref string CountedName
        {
            get
            {
                Reads++;
                GC.KeepAlive(new object());
                return ref Names[0];
            }
        }
    }

    public class More : Cells
    {
        public int Other = 50;
        public override ref int Counted
        {
            get
            {
                Reads += 10;
                GC.KeepAlive(new object());
                return ref Other;
            }
        }
    }

    public static class Program
    {
        public static void Main()
        {
            var cells = new Cells();
            Cells more = new More();
            Span<string> names = new[] { "p", "q" };
            Span<object> objects = new object[3];
            Span<Point> points = new Point[2];
            ReadOnlySpan<string> only = new[] { "r" };
            Console.WriteLine("here"); // @here
            GC.KeepAlive((cells, more));
            GC.KeepAlive(names.Length + objects.Length + points.Length + only.Length);
        }
    }
}
