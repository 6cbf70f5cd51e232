using System;
using System.Collections.Generic;

namespace Values
{
    // One value of every kind in locals, arguments, fields and statics, each with a name that says what it is.
    public static class Program
    {
        public static int Main(string[] args)
        {
            Primitives();
            Texts();
            Arrays();
            Structures(new Point(3, 4), new Point(5, 6));
            Enumerations();
            Nullables();
            Tuples();
            new Box<string>("boxed").Show(7);
            Box<int>.ShowShared<string>("type argument");
            Collections();
            Objects();
            Delegates(8);
            int given = 1;
            ByReference(ref given, out int produced, in given);
            Pointers();
            new Derived().Show();
            Console.WriteLine("done " + produced); // @done
            return 0;
        }

        private static void Primitives()
        {
            bool yes = true;
            bool no = false;
            byte byteMax = byte.MaxValue;
            sbyte sbyteMin = sbyte.MinValue;
            short shortMin = short.MinValue;
            ushort ushortMax = ushort.MaxValue;
            int intMin = int.MinValue;
            uint uintMax = uint.MaxValue;
            long longMin = long.MinValue;
            ulong ulongMax = ulong.MaxValue;
            IntPtr native = new IntPtr(0x123456789A);
            UIntPtr nativeUnsigned = new UIntPtr(0xFEDCBA9876543210);
            float floatThird = 1.0f / 3.0f;
            float floatInfinity = float.PositiveInfinity;
            double doubleThird = 1.0 / 3.0;
            double doubleNan = double.NaN;
            double doubleNegativeZero = -0.0;
            decimal money = 12345678901234567890.123456789m;
            decimal negativeMoney = -0.5m;
            char letter = 'a';
            char newline = '\n';
            char euro = '€';
            object boxedInt = 42;
            Use(yes, no, byteMax, sbyteMin, shortMin, ushortMax, intMin, uintMax, longMin, ulongMax); // @primitives
            Use(native, nativeUnsigned, floatThird, floatInfinity, doubleThird, doubleNan, doubleNegativeZero);
            Use(money, negativeMoney, letter, newline, euro, boxedInt);
        }

        private static void Texts()
        {
            string empty = "";
            string nothing = null;
            string plain = "hello";
            string quoted = "say \"hi\"\tand\\or\n";
            string unicode = "naïve 日本 🎉 e\u0301";
            string withZero = "a\0b";
            string loneSurrogate = "x\uD83Dy";
            string big = new string('x', 5000);
            Use(empty, nothing, plain, quoted, unicode, withZero, loneSurrogate, big); // @texts
        }

        private static void Arrays()
        {
            int[] numbers = { 1, 2, 3 };
            int[] none = new int[0];
            int[] missing = null;
            string[] words = { "one", null, "three" };
            int[,] matrix = { { 1, 2, 3 }, { 4, 5, 6 } };
            int[][] jagged = { new[] { 1 }, null, new[] { 2, 3 } };
            int[,,] cube = new int[2, 3, 4];
            cube[1, 2, 3] = 123;
            Array shifted = Array.CreateInstance(typeof(int), new[] { 3 }, new[] { -1 });
            shifted.SetValue(7, -1);
            Point[] points = { new Point(1, 2), new Point(3, 4) };
            object[] mixed = { 1, "two", 3.0, null, new Point(5, 6) };
            int[] large = new int[10000];
            large[9999] = 9999;
            bool[] flags = { true, false };
            Use(numbers, none, missing, words, matrix, jagged, cube, shifted, points, mixed, large, flags); // @arrays
        }

        private static void Structures(Point argument, in Point byReference)
        {
            Point point = new Point(1, 2);
            Outer outer = new Outer { Name = "outer", Inner = new Point(7, 8), Count = 3 };
            object boxed = new Point(9, 10);
            Guid id = new Guid("00112233-4455-6677-8899-aabbccddeeff");
            DateTime date = new DateTime(2024, 2, 29, 12, 34, 56, DateTimeKind.Utc);
            TimeSpan span = TimeSpan.FromMinutes(90);
            Use(point, outer, boxed, id, date, span, argument, byReference); // @structures
        }

        private static void Enumerations()
        {
            Colour colour = Colour.Green;
            Colour unknown = (Colour)77;
            Access access = Access.Read | Access.Write;
            Access none = 0;
            Small small = Small.Most;
            Use(colour, unknown, access, none, small, DayOfWeek.Friday); // @enumerations
        }

        private static void Nullables()
        {
            int? some = 5;
            int? none = null;
            Point? point = new Point(1, 2);
            Point? noPoint = null;
            Colour? colour = Colour.Blue;
            bool? maybe = false;
            Use(some, none, point, noPoint, colour, maybe); // @nullables
        }

        private static void Tuples()
        {
            (int, string) pair = (1, "one");
            (int Number, string Word, (bool Yes, double Half) Inner) named = (2, "two", (true, 0.5));
            Tuple<int, string> reference = Tuple.Create(3, "three");
            var anonymous = new { Name = "anonymous", Size = 4 };
            KeyValuePair<string, int> entry = new KeyValuePair<string, int>("key", 5);
            Use(pair, named, reference, anonymous, entry); // @tuples
        }

        private static void Collections()
        {
            List<int> list = new List<int> { 10, 20, 30 };
            List<Point> pointList = new List<Point> { new Point(1, 1) };
            Dictionary<string, int> dictionary = new Dictionary<string, int> { ["one"] = 1, ["two"] = 2 };
            HashSet<string> set = new HashSet<string> { "a", "b" };
            Queue<int> queue = new Queue<int>(new[] { 1, 2 });
            Stack<int> stack = new Stack<int>(new[] { 1, 2 });
            LinkedList<int> linked = new LinkedList<int>(new[] { 1, 2 });
            IEnumerable<int> lazy = Lazily();
            List<List<int>> nested = new List<List<int>> { new List<int> { 1 }, new List<int>() };
            Use(list, pointList, dictionary, set, queue, stack, linked, lazy, nested); // @collections
        }

        private static IEnumerable<int> Lazily()
        {
            yield return 1;
            yield return 2;
        }

        private static void Objects()
        {
            Node cycle = new Node("first", new Node("second", null));
            cycle.Next.Next = cycle;
            Node nothing = null;
            object plain = new object();
            Derived derived = new Derived();
            Base declaredAsBase = derived;
            IShape shape = new Circle(2.5);
            Exception exception = new InvalidOperationException("broken", new ArgumentException("inner"));
            Type type = typeof(Dictionary<string, int>);
            dynamic anything = "dynamic";
            Use(cycle, nothing, plain, derived, declaredAsBase, shape, exception, type, (object)anything); // @objects
        }

        private static void Delegates(int captured)
        {
            Func<int, int> lambda = value => value + captured;
            Action method = Primitives;
            Action both = method;
            both += Texts;
            int result = lambda(2);
            Use(lambda, method, both, result, captured); // @delegates
        }

        private static void ByReference(ref int given, out int produced, in int readOnly)
        {
            produced = given + 1;
            ref int alias = ref given;
            alias = 9;
            produced += readOnly; // @by-reference
        }

        private static unsafe void Pointers()
        {
            int target = 77;
            int* pointer = &target;
            void* untyped = pointer;
            int* nothing = null;
            int** twice = &pointer;
            Pair pair = new Pair { First = 1, Second = &target };
            Pair* structure = &pair;
            int* wild = (int*)16;
            Use(*pointer, **twice, structure->First, wild == null, new IntPtr(untyped), nothing == null); // @pointers
        }

        private unsafe struct Pair
        {
            public int First;
            public int* Second;
        }

        private static void Use(params object[] values)
        {
            GC.KeepAlive(values);
        }
    }
}
