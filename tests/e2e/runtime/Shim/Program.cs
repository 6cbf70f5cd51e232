using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

// What the tests of the shim look at, one mode for each subject; Mark is where they stop.
namespace ShimTests
{
    public enum Colour { Red = 1, Green = 2, Blue = 3 }

    // Nothing in the program makes one.
    public enum Unused { Never }

    public struct Point
    {
        public int X;
        public int Y;
        public string Name;
    }

    public class Animal
    {
        public static int Count = 41;
        public static readonly string Kind = "animal kind";
        [ThreadStatic] public static int PerThread;
        public string Name = "Rex";
        private int age = 7;
        public Animal Friend;
        public int Age { get { return age; } }
        public int Add(int a, int b) { return a + b + age; }
        public static string Greet(string who) { return "hello " + who; }
        public int Fail() { throw new InvalidOperationException("failing on purpose"); }
        public int Spin() { while (true) { age++; } }
        public void Nothing() { age = age + 0; }
    }

    public class Dog : Animal
    {
        public List<int> Numbers = new List<int> { 1, 2, 3 };
        public Dictionary<string, int> Map = new Dictionary<string, int> { { "one", 1 } };
        public Point Where = new Point { X = 3, Y = 4, Name = "home" };
        public Colour Colour = Colour.Green;
        public object Boxed = 12345;
        public int? Maybe = 5;
        public int? Never = null;
    }

    public class Holder<T>
    {
        public static T Shared;
        public T Item;
        public string Describe<U>(U other)
        {
            Program.Mark("generic");
            return typeof(T).Name + typeof(U).Name + other;
        }
    }

    public ref struct Window
    {
        public Span<int> Span;
        public int Start;
    }

    public static class Program
    {
        public static volatile bool Go = true;
        public static volatile int Counter;

        public static int Main(string[] args)
        {
            string mode = args.Length > 0 ? args[0] : "values";
            switch (mode)
            {
                case "tokens": Tokens(); return 0;
                case "values": Values(3, "text", new Dog()); break;
                case "arrays": Arrays(new Dog()); break;
                case "steps": Steps(); break;
                case "deep": Deep(30); break;
                case "loop": Loop(int.Parse(args[1])); break;
                case "throw": Throwing(); break;
                case "unhandled": throw new ApplicationException("nobody catches this");
                case "spin": Spin(); break;
                case "threads": Threads(); break;
                case "forever": Forever(args.Length > 1 && args[1] == "spin"); break;
                case "log": System.Diagnostics.Debugger.Log(3, "category", "logged message"); break;
                case "break": System.Diagnostics.Debugger.Break(); break;
            }
            Mark("end");
            return 7;
        }

        // The metadata tokens that the tests use: "Type.Member hexadecimal".
        static void Tokens()
        {
            const BindingFlags all = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static
                | BindingFlags.Instance | BindingFlags.DeclaredOnly;
            foreach (Type type in typeof(Program).Assembly.GetTypes())
            {
                Console.WriteLine("{0} {1:x8}", type.Name, type.MetadataToken);
                foreach (MemberInfo member in type.GetMembers(all))
                {
                    Console.WriteLine("{0}.{1} {2:x8}", type.Name, member.Name, member.MetadataToken);
                }
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Mark(string where)
        {
            Counter++;
        }

        static unsafe void Values(int number, string text, Dog dog)
        {
            bool flag = true;
            char letter = 'ß';
            sbyte i1 = -5;
            byte u1 = 250;
            short i2 = -30000;
            ushort u2 = 60000;
            uint u4 = 4000000000;
            long i8 = -9000000000000000000;
            ulong u8 = 18000000000000000000;
            float r4 = 1.5f;
            double r8 = -2.25;
            decimal money = 12.34m;
            IntPtr native = new IntPtr(77);
            string empty = "";
            string nothing = null;
            string surrogate = "a\ud83d\ude00b\ud800";
            string longText = new string('x', 100000);
            int[] array = { 10, 20, 30, 40 };
            int[] emptyArray = new int[0];
            int[,] grid = { { 1, 2, 3 }, { 4, 5, 6 } };
            string[] names = { "one", null, "three" };
            object boxed = 42;
            object boxedPoint = new Point { X = 8, Y = 9 };
            Point point = new Point { X = 1, Y = 2, Name = "p" };
            Guid guid = new Guid("00112233-4455-6677-8899-aabbccddeeff");
            Colour colour = Colour.Blue;
            int? maybe = 6;
            int? never = null;
            Animal asAnimal = dog;
            Animal noAnimal = null;
            Holder<string> holder = new Holder<string> { Item = "held" };
            Func<int, int> function = x => x + number;
            int plain = number; int* pointer = &plain;
            ref int byref = ref array[2];
            Window window = new Window { Span = new Span<int>(array), Start = 1 };
            int[][] jagged = { new[] { 1 }, new[] { 2, 3 } };
            List<Dictionary<string, List<int[]>>> nested = new List<Dictionary<string, List<int[]>>>();
            var tuple = (1, "two", 3.0);
            Array lowered = Array.CreateInstance(typeof(int), new[] { 2, 2 }, new[] { 5, 7 });
            void* voids = (void*)0x1234;
            TypedReference typed = __makeref(point);
            Holder<int>.Shared = 99;
            Counter += Animal.Count;
            Mark("values");
            GC.KeepAlive(new object[] { flag, letter, i1, u1, i2, u2, u4, i8, u8, r4, r8, money, native, empty, nothing,
                surrogate, longText, array, emptyArray, grid, names, boxed, boxedPoint, point, guid, colour, maybe, never,
                asAnimal, noAnimal, holder, function, byref, jagged, nested, tuple, lowered });
            Counter += window.Start + *pointer + (int)(long)voids;
            holder.Describe(number);
            new Holder<int>().Describe("x");
        }

        // Arrays of all kinds, each with more elements than are read one by one.
        static unsafe void Arrays(Dog dog)
        {
            var text = new[] { "a", null, "b", new string('x', 40000), "", "a\ud83d\ude00b\ud800", "last" };
            var lowered = Array.CreateInstance(typeof(string), new[] { 2, 2 }, new[] { 5, 7 });
            for (int i = 0; i < 4; i++) { lowered.SetValue("at " + i, 5 + i / 2, 7 + i % 2); }
            object[] arrays =
            {
                new[] { true, false, true, true }, new byte[] { 1, 2, 3, 4, 5 }, new[] { 'a', 'ß', '\0', '\ud800' },
                new short[] { -1, 2, -3 }, new[] { 1L, -2L, long.MinValue }, new[] { 1.5f, -0f, float.NaN },
                new[] { 1.5, double.MaxValue, -0.0 }, new[] { 1.5m, -79228162514264337593543950335m, 0m },
                new[] { Colour.Red, Colour.Blue, (Colour)77 }, new[] { new IntPtr(7), IntPtr.Zero, new IntPtr(-1) },
                new[] { new Guid("00112233-4455-6677-8899-aabbccddeeff"), Guid.Empty, Guid.Empty },
                new[] { new Point { X = 1, Name = "p" }, new Point { Y = 2 }, new Point { X = 3, Name = "q" } },
                new int?[] { 1, null, 3, 4 }, new[] { (1, "one"), (2, null), (3, "three") },
                text, new object[] { "a", 1, null, dog, new Animal(), text, new Point(), Colour.Green, "b", 2, dog },
                new Animal[] { dog, null, new Animal(), dog, new Dog(), new Animal() },
                new IComparable[] { 1, "a", 2.5, "b", 3, null }, new[] { new[] { 1, 2, 3 }, null, new[] { 4 }, new int[0] },
                new[,] { { 1, 2, 3 }, { 4, 5, 6 } }, new[,] { { "a", "b" }, { null, "c" } }, lowered,
                new Func<int>[] { () => 1, null, () => 2, dog.Name.GetHashCode }, new int*[] { null, null, null, null },
                new List<int>[] { dog.Numbers, null, new List<int>(), dog.Numbers },
            };
            Mark("arrays");
            GC.KeepAlive(arrays);
        }

        static void Steps()
        {
            int a = 1;
            int b = Inner(a);
            int c = a + b;
            Mark("stepped");
            Counter += c;
        }

        static int Inner(int value)
        {
            int doubled = value * 2;
            return doubled;
        }

        static int Deep(int depth)
        {
            if (depth == 0) { Mark("deep"); return 0; }
            return Deep(depth - 1) + 1;
        }

        static void Loop(int count)
        {
            for (int i = 0; i < count; i++) { Mark("loop"); }
        }

        static void Throwing()
        {
            try { new Animal().Fail(); }
            catch (InvalidOperationException e) { Counter += e.Message.Length; }
            Mark("caught");
        }

        static void Spin()
        {
            Mark("spin");
            while (Go) { }
        }

        static void Threads()
        {
            var ready = new CountdownEvent(3);
            for (int i = 0; i < 3; i++)
            {
                var t = new Thread(() => { ready.Signal(); Thread.Sleep(60000); });
                t.Name = "worker " + i;
                t.IsBackground = true;
                t.Start();
            }
            ready.Wait();
            Mark("threads");
        }

        static void Forever(bool spin)
        {
            Console.WriteLine("ready");
            while (spin) { }
            while (Go) { Thread.Sleep(10); Mark("tick"); }
        }
    }
}
