// Properties and indexers that return references, and spans of references: what is assigned through them.
using System;

namespace RefReturns
{
    public struct Point
    {
        public int X;
        public string Name;
    }

    public static class Pointers
    {
        public static int Counted;

        public static string Told(string text, Point point, long? number) => $"{text}{point.Name}{point.X}{number}";

        public static Point Made() => new Point { X = 6, Name = "made" };

        public static void Count(int by) => Counted += by;

        public static void Refer(ref int number) => number++;

        public static void Use(long number) => GC.KeepAlive(number);
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

    public enum Size : byte { Small, Large }

    public struct Pair
    {
        public int X;
        public long Y;
        public long Sum() => X + Y;
    }

    // Everything here returns a reference that comes from a pointer.
    public unsafe class Pointed
    {
        public int* Numbers;
        public Pair* Pairs;
        public void* Any;
        public int** Twice;
        public Size* Sizes;
        public IntPtr Address;
        public readonly int[] Held = { 30, 40 };
        public ref int First => ref *Numbers;
        public ref readonly int Fixed => ref *Numbers;
        public ref Pair Whole => ref *Pairs;
        public ref long Part => ref Pairs->Y;
        public ref int OfAny => ref *(int*)Any;
        public ref int OfAddress => ref *(int*)Address;
        public ref int OfTwice => ref **Twice;
        public ref int* Pointer => ref *Twice;
        public ref Size Size => ref Sizes[1];
        public ref int Local
        {
            get
            {
                ref int local = ref *Numbers;
                return ref local;
            }
        }
        public ref int OfCall => ref Through(Numbers);
        public int Value => Through(Numbers) + Same(ref *Numbers);
        public bool IsSmall
        {
            get
            {
                fixed (int* held = &HeldAt(1))
                    return (long)held < 100;
            }
        }
        public ref int AsRef => ref System.Runtime.CompilerServices.Unsafe.AsRef<int>(Numbers);
        public ref int OfSpan => ref new Span<int>(Numbers, 2)[1];
        public ref Pair At(int index) => ref Pairs[index];
        public ref int HeldAt(int index) => ref Held[index];
        public static ref int Through(int* number) => ref *number;
        public static ref T Any1<T>(T* item) where T : unmanaged => ref *item;
        private static int Same(ref int number) => number;
    }

    public static class Program
    {
        public static unsafe void Main()
        {
            int* numbers = stackalloc int[] { 9, 10 };
            Pair* pairs = stackalloc Pair[] { new Pair { X = 5, Y = 77 }, new Pair { X = 6, Y = 78 } };
            Size* sizes = stackalloc Size[] { Size.Small, Size.Large };
            void* any = numbers;
            var pointed = new Pointed
            {
                Numbers = numbers, Pairs = pairs, Any = numbers, Twice = &numbers, Sizes = sizes,
                Address = (IntPtr)numbers,
            };
            var nowhere = new Pointed();
            var cells = new Cells();
            Cells more = new More();
            Span<string> names = new[] { "p", "q" };
            Span<object> objects = new object[3];
            Span<Point> points = new Point[2];
            ReadOnlySpan<string> only = new[] { "r" };
#if NET5_0_OR_GREATER
            delegate*<int, int, int> larger = &Math.Max;
            delegate*<string, Point, long?, string> told = &Pointers.Told;
            delegate*<Point> point = &Pointers.Made;
            delegate*<int, void> counts = &Pointers.Count;
            delegate*<ref int, void> refers = &Pointers.Refer;
            delegate*<string, int> throws = &int.Parse;
            delegate*<int, int> nowhere2 = null;
            Pointers.Use(larger(1, 2) + told("", default, null).Length + point().X + (long)refers + (long)throws + (long)nowhere2);
            counts(1);
#endif
            Console.WriteLine("here"); // @here
            GC.KeepAlive((cells, more, pointed, nowhere));
            GC.KeepAlive(*(int*)any);
            GC.KeepAlive(names.Length + objects.Length + points.Length + only.Length);
        }
    }
}
