using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Threading.Tasks;

namespace Shown
{
    // Values that a debugger shows by what they mean, each in a local whose name says what it is.
    public static class Program
    {
        public static void Main()
        {
            Times();
            Numbers();
            Objects();
            Newer();
            Collections.Show();
            Displays.Show();
            Proxies.Show();
            Emitted.Show();
            DataTables.Show();
            JsonDocuments.Show();
            Getters.Show();
            Inherited.Show();
            Names.Show();
        }

        private static void Times()
        {
            DateTime date = new DateTime(2024, 2, 29, 12, 34, 56, DateTimeKind.Utc);
            DateTime first = DateTime.MinValue;
            DateTime last = DateTime.MaxValue;
            DateTimeOffset east = new DateTimeOffset(2024, 2, 29, 12, 34, 56, TimeSpan.FromMinutes(330));
            DateTimeOffset west = new DateTimeOffset(2024, 2, 29, 12, 34, 56, TimeSpan.FromHours(-8));
            TimeSpan span = new TimeSpan(1, 2, 3, 4, 500);
            TimeSpan negative = TimeSpan.FromSeconds(-90);
            DateTime? maybe = date;
            DateTime? never = null;
            object boxed = date;
            Use(date, first, last, east, west, span, negative, maybe, never, boxed); // @times
        }

        private static void Numbers()
        {
            decimal money = -12.50m;
            BigInteger small = -7;
            BigInteger big = BigInteger.Pow(10, 40);
            BigInteger bigNegative = -big;
            Complex complex = new Complex(1, -2.5);
            Guid id = new Guid("00112233-4455-6677-8899-aabbccddeeff");
            Index index = 3;
            Index fromEnd = ^1;
            Range range = 1..^2;
            Rune rune = new Rune('é');
            IntPtr native = new IntPtr(-5);
            char letter = 'a';
            const int answer = 42;
            const string word = "w";
            const Access granted = Access.Write;
            const double half = 0.5;
            Use(answer, word, granted, half);
            Use(money, small, big, bigNegative, complex, id, index, fromEnd, range, rune, native, letter); // @numbers
        }

        private static void Objects()
        {
            (string Name, int Age) person = ("Ann", 42);
            (int, (bool, char), string) nested = (1, (true, 'x'), null);
            List<(int X, (bool Left, bool) Sides)> tuples = new List<(int X, (bool Left, bool) Sides)> { (1, (true, false)) };
            (int A, int B)? maybePair = (1, 2);
            (int a, int b, int c, int d, int e, int f, int g, (int X, int Y) h, int i) nine = (1, 2, 3, 4, 5, 6, 7, (8, 9), 10);
            Named named = new Named();
            var eight = (1, 2, 3, 4, 5, 6, 7, "eight", 9);
            Tuple<int, string> reference = Tuple.Create(3, "three");
            var anonymous = new { Alpha = 1, Beta = "b" };
            KeyValuePair<string, int> pair = new KeyValuePair<string, int>("key", 5);
            Version version = new Version(1, 2, 3);
            Uri uri = new Uri("https://example.org/a?b=c");
            CultureInfo culture = CultureInfo.InvariantCulture;
            StringBuilder builder = new StringBuilder("abc", 3).Append("defghijklmnop").Append('q', 40);
            Exception exception = new InvalidOperationException("broken");
            Exception argument = new ArgumentNullException("text");
            Exception silent = new CustomException();
            Exception disposed = new ObjectDisposedException("Stream");
            Task done = Task.CompletedTask;
            Task<int> result = Task.FromResult(42);
            Task faulted = Task.FromException(new InvalidOperationException("lost"));
            Task<string> canceled = Task.FromCanceled<string>(new System.Threading.CancellationToken(true));
            Task pending = new TaskCompletionSource<int>().Task;
            ValueTask<int> valueTask = new ValueTask<int>(7);
            Lazy<int> lazy = new Lazy<int>(() => 3);
            int evaluated = lazy.Value;
            Lazy<int> unevaluated = new Lazy<int>(() => 3);
            Type type = typeof(Dictionary<string, int>);
            Outer<int>.Inner<string> inner = new Outer<int>.Inner<string>();
            int? some = 5;
            int? none = null;
            int[,] matrix = new int[2, 3];
            List<int>[] lists = new List<int>[1];
            string text = "a\"b\\c\n\u0001";
            string longText = new string('x', 5000);
            Access access = Access.Read | Access.Write;
            Access unknown = (Access)64;
            Use(person, nested, eight, reference, anonymous, pair, version, uri, culture, builder); // @objects
            Use(exception, argument, silent, disposed, done, result, faulted, canceled, pending, valueTask, lazy);
            Use(tuples, maybePair, nine, named);
            Use(unevaluated, type, inner, some, none, matrix, lists, text, longText, access, unknown, evaluated);
        }

        private static void Newer()
        {
#if NET8_0_OR_GREATER
            DateOnly day = new DateOnly(2024, 2, 29);
            TimeOnly time = new TimeOnly(12, 34, 56);
            Half half = (Half)0.1f;
            Int128 wide = -(Int128)1 << 100;
            UInt128 unsigned = UInt128.MaxValue;
            nint native = -3;
            nuint nativeUnsigned = 3;
            Span<int> span = new[] { 1, 2, 3 }.AsSpan(1);
            Span<byte> onStack = stackalloc byte[] { 7, 8 };
            ReadOnlySpan<char> characters = "hello".AsSpan(1);
            Span<int> noSpan = default;
            ReadOnlyMemory<char> part = "hello".AsMemory(1, 3);
            Buffer buffer = default;
            buffer[1] = 42;
            Use(day, time, half, wide, unsigned, native, nativeUnsigned); // @newer
            Use(span.Length, onStack.Length, characters.Length, noSpan.Length, part, buffer);
#endif
        }

        public static void Use(params object[] values)
        {
            GC.KeepAlive(values);
        }
    }

#if NET8_0_OR_GREATER
    [System.Runtime.CompilerServices.InlineArray(6)]
    public struct Buffer
    {
        private long element;
    }
#endif

    public class Named
    {
        public (int First, string Second) Field = (1, "two");

        public static (int S, int) Static = (3, 4);

        public (int L, int R)[] Automatic { get; } = { (5, 6) };

        public (string First, (int Id, bool) Inner) Computed => ("c", (7, true));
    }

    public class CustomException : Exception
    {
    }

    public class Outer<T>
    {
        public class Inner<U>
        {
            public T First;
            public U Second;
        }
    }

    [Flags]
    public enum Access
    {
        None = 0,
        Read = 1,
        Write = 2,
        Execute = 4,
    }
}
