using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using static System.Math;
using Alias = System.Collections.Generic.Dictionary<string, int>;

namespace Expressions.Deep
{
    // Everything that an expression can meet: run the marked lines with the table in the test.
    public readonly struct Money
    {
        public readonly decimal Amount;

        public Money(decimal amount)
        {
            Amount = amount;
        }

        public static Money operator +(Money left, Money right) => new Money(left.Amount + right.Amount);

        public static bool operator >(Money left, Money right) => left.Amount > right.Amount;

        public static bool operator <(Money left, Money right) => left.Amount < right.Amount;

        public static implicit operator decimal(Money money) => money.Amount;

        public override string ToString() => Amount + " EUR";
    }

    public interface INamed
    {
        string Name { get; }

        string Loud => Name.ToUpper();
    }

    public abstract class Animal : INamed
    {
        public const string Kind = "animal";
        public const decimal Rate = 0.25m;
        protected int legs = 4;

        public abstract string Name { get; }

        public virtual int Legs => legs;

        public int this[string key] => key.Length;

        public int this[int row, int column] => row * column;
    }

    public class Dog : Animal
    {
        public int Pats;

        public enum Size
        {
            Small,
            Large,
        }

        public override string Name => "Rex";

        public override int Legs => base.Legs - 1;

        public T Echo<T>(T value)
        {
            Pats++;
            return value;
        }

        public int Add(int first, int second = 10, string text = "x") => first + second + text.Length;

        public static int Twice(int number) => number * 2;

        public static double Twice(double number) => number * 2;

        public Money Price() => new Money(Pats + 2);

        public int Fail() => throw new InvalidOperationException("bad dog");
    }

    public class Holder<T>
    {
        public T Value;
        public (T First, int Second) Pair;
        public List<T> Items = new List<T>();

        public void Show<TOther>(TOther other)
        {
            T local = Value;
            GC.KeepAlive((local, other)); // @generic
        }
    }

    public static class Extensions
    {
        public static string Bark(this Dog dog, int times) => string.Concat(Enumerable.Repeat(dog.Name, times));
    }

    public static class Program
    {
        private static readonly DateTime start = new DateTime(2020, 1, 2, 3, 4, 5);

        public static int Main()
        {
            Console.WriteLine(start.Year);
            Variables();
            new Holder<string> { Value = "held", Pair = ("p", 2) }.Show(5);
            RunAsync(10, "!").Wait();
            return Iterate(2).Sum() - 2;
        }

        private static void Variables()
        {
            int captured = 3;
            const int Fixed = 12;
            string word = "word";
            var price = new Money(1.5m);
            var more = new Money(2m);
            Dog dog = new Dog();
            Animal animal = dog;
            INamed named = dog;
            var numbers = new List<int> { 5, 6, 7 };
            var map = new Alias { ["a"] = 1, ["bb"] = 2 };
            string[] words = { "x", "yy", "zzz" };
            object boxed = 5L;
            int? maybe = 4;
            var anonymous = new { A = 1, B = new { C = "c" } };
            (int X, (string Z, int) Y) tuple = (1, ("z", 2));
            Func<int, int> add = value =>
            {
                int inner = value + captured;
                return inner + word.Length; // @lambda
            };
            Console.WriteLine(price.Amount + more.Amount + animal.Legs + named.Name + numbers.Count + map.Count); // @main
            Console.WriteLine(words.Length + boxed.ToString() + maybe + anonymous + tuple + add(1) + Fixed);
        }

        private static async Task<int> RunAsync(int begin, string label)
        {
            int total = begin;
            await Task.Delay(1);
            total += label.Length;
            Console.WriteLine(total); // @async
            return total;
        }

        private static IEnumerable<int> Iterate(int limit)
        {
            for (int index = 0; index < limit; index++)
            {
                int doubled = index * 2;
                yield return doubled; // @iterator
            }
        }
    }
}
