// A program for breakpoints: each construct of C# in which a statement can stand, several of them on one line.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

Console.WriteLine("top level"); // @top-level
int Doubled(int x) => x * 2; // @top-local
Console.WriteLine(Doubled(4)); // @top-call
await Places.Calls.All(); // @top-await

namespace Places
{
    internal static class Calls
    {
        public static async Task All()
        {
            var shapes = new Shapes(3);
            Console.WriteLine(new Shapes().Sum + new Shapes("abc").Sum + shapes.Sum);
            Console.WriteLine(shapes.Lines());
            Console.WriteLine(shapes.Loop(3) + shapes.Arm(2) + shapes.Pick(0));
            Console.WriteLine(string.Join(",", Sequences.Numbers(2)));
            Console.WriteLine(await Sequences.Later(1));
            Console.WriteLine(new Point(1, 2).Length + new Person("Ada", 36).Describe());
            Console.WriteLine(Mapped.Value(2) + Outer<int>.Inner<string>.Name(7));
            Console.WriteLine((new Money(1) + new Money(2)) * 2);
            Console.WriteLine((int)new Money(5) + new Grid()[1, 2]);
            new Grid()[3, 4] = 5;
            IShape shape = new Circle();
            Console.WriteLine(shape.Area() + Overloads.Take(1) + Overloads.Take("x") + Overloads.Take(new List<int>()));
            Console.WriteLine(Overloads.Take<long>(1, 2, out _));
            new Button().Press();
        }
    }

    internal partial class Shapes
    {
        private static readonly int Started = Environment.TickCount != 0 ? 1 : 1; // @static-field
        private readonly List<int> _numbers = new List<int> { 1, 2 }; private readonly int _one = 1; // @fields

        static Shapes()
        {
            Count = Started; // @static-constructor
        }

        public Shapes()
        {
            Sum = _one; // @constructor-one
        }

        public static int Count { get; set; } = 4; // @static-property

        public Shapes(int first)
        {
            Sum = first + _numbers.Count; // @constructor-two
        }

        public Shapes(string text) : this(text.Length) // @constructor-chained
        {
        }

        public int Sum { get; private set; } // @property

        public string Lines()
        {
            var text = string.Join( // @statement-begin
                ",",
                _numbers.Select(n => n + 1)); // @statement-lambda
            // @comment
            text += "!"; // @after-comment
            Func<int, int> square = n => n * n; Func<int, int> cube = n => { var s = n * n; return s * n; }; // @lambdas
            return text + square(2) + cube(2); // @lines-return
        }

        public int Loop(int count)
        {
            var total = 0;
            for (var i = 0; i < count; i++) total += i; // @for
            foreach (var n in _numbers) { total += n; } // @foreach
            return total; // @loop-return

        }

        public int Arm(int kind) => kind switch { 1 => One(), 2 => Two(), _ => 0 }; // @switch

        private int One() => 1; private int Two() => 2; // @two-methods
    }

    internal static class Sequences
    {
        public static IEnumerable<int> Numbers(int count)
        {
            for (var i = 0; i < count; i++)
            {
                yield return i; // @yield
            }
        }

        public static async Task<int> Later(int value)
        {
            await Task.Yield(); // @await
            return value + Local(1); // @after-await

            static int Local(int x)
            {
                return x + 1; // @local-function
            }
        }
    }

    internal record Point(int X, int Y) // @record
    {
        public double Length => Math.Sqrt(X * X + Y * Y); // @record-member
    }

    internal class Person(string name, int age) // @primary-constructor
    {
        private readonly string _name = name.ToUpperInvariant(); // @primary-field

        public string Describe() => $"{_name} {age}"; // @primary-member
    }

    internal class Outer<T>
    {
        internal class Inner<U>
        {
            public static string Name(T value) => typeof(U).Name + value; // @generic
        }
    }

    internal readonly struct Money
    {
        private readonly int _amount;

        public Money(int amount)
        {
            _amount = amount;
        }

        public static Money operator +(Money left, Money right) => new Money(left._amount + right._amount); // @plus

        public static int operator *(Money left, int factor) => left._amount * factor; // @times

        public static explicit operator int(Money money) => money._amount; // @conversion
    }

    internal class Grid
    {
        public int this[int x, int y]
        {
            get => x * y; // @get
            set { Console.WriteLine(x + y + value); } // @set
        }
    }

    internal interface IShape
    {
        int Area();
    }

    internal class Circle : IShape
    {
        int IShape.Area() => 3; // @explicit
    }

    internal abstract class Abstract
    {
        public abstract void Nothing();
    }

    internal static class Overloads
    {
        public static string Take(int number) => "int"; // @take-int

        public static string Take(string text) => "string"; // @take-string

        public static string Take(List<int> list) => "list"; // @take-list

        public static string Take<T>(T value, int? second, out string result) => result = "generic"; // @take-generic
    }

    internal class Button
    {
        public event EventHandler Pressed
        {
            add { Console.WriteLine("added"); } // @add
            remove { }
        }

        public void Press()
        {
            Pressed += (sender, arguments) => { };
        }
    }
}
