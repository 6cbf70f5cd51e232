using System;

namespace Members
{
    // Parameters of primary constructors that members use: the compiler keeps each in a field `<name>P`.
    public static class Parameters
    {
        public static void Show()
        {
#if NET8_0_OR_GREATER
            Box outside = new Lid(7, 2, "cm");
            Program.Use(outside); // @outside
            outside.Twice(1);
            ((Lid)outside).More();
            new Over(5).Inherited();
            new Plain(1, "mm").Unit();
            new Count(2).Next();
            new Maker<string>("made").Make();
            Program.Use(new Tin(3, 4, "tin").Next(), new Slot(5).Next());
#endif
        }
    }

#if NET8_0_OR_GREATER
    public class Box(int size, string unit)
    {
        public int Size { get; set; } = 3;

        public int Twice(int times)
        {
            int twice = size * 2;
            Func<int> later = () => size + times;
            return later() + twice + unit.Length; // @box
        }

        public string Unit()
        {
            string own = unit;
            return own; // @unit
        }
    }

    // It has a parameter of the same name as its base's, with another value; and one that it only hands on.
    public class Lid(int size, int more, string unit) : Box(size * 10, unit + "!")
    {
        public int More()
        {
            int sum = size + more;
            return sum; // @lid
        }
    }

    public class Plain(int hidden, string unit) : Box(hidden, unit)
    {
    }

    public class HasSize
    {
        protected int size = 100;
    }

    public class Over(int size) : HasSize
    {
        public int Inherited()
        {
            int seen = size;
            return seen; // @over
        }
    }

    public struct Count(int count)
    {
        public int Next()
        {
            count++;
            return count; // @count
        }
    }

    public class HasCount
    {
        private int count = 77;
        public int Shown => count;
    }

    // Initialisers see the parameters as the members do: what the constructor was given is of no use any more.
    public class Tin(int count, int unused, string text) : HasCount
    {
        private readonly int first = Add(ref count);
        private readonly int second = count * 2; // @initialiser
        private readonly Func<int> later = () =>
            count + 1; // @initialiserLambda
        public readonly string text = text;
        private readonly int third = unused + text.Length; // @lastInitialiser
        public int Next()
        {
            int next = later();
            return count++ + next + first + second + third; // @afterInitialisers
        }

        private static int Add(ref int number) => number += 10;
    }

    public struct Slot(int count)
    {
        private readonly int twice = 2 * ++count;
        private readonly int kept = count; // @structInitialiser
        public int Next() => count++ + twice + kept;
    }

    public class Maker<T>(T item)
    {
        public T Make()
        {
            T item2 = item;
            return item2; // @maker
        }
    }
#endif
}
