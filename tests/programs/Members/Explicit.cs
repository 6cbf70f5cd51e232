using System.Collections;
using System.Collections.Generic;

namespace Members
{
    public interface INamed
    {
        string Name { get; }

        int Size { get; set; }
    }

    public interface IHolding<T>
    {
        T Held { get; }
    }

    // Properties of interfaces that a class implements without having properties of these names.
    public static class Explicit
    {
        public static void Show()
        {
            Both both = new Derived2();
            Only2<int> held = new Only2<int>();
            IEnumerable<int> numbers = Count();
            List<string> list = new List<string> { "a" };
            Program.Use(both, held, numbers, list); // @explicit
        }

        private static IEnumerable<int> Count()
        {
            yield return 1;
        }

        public class Both : INamed, IHolding<KeyValuePair<string, int>>, IHolding<INested>, IList2
        {
            public static int Calls;

            public string Name => "own";

            string INamed.Name => "explicit";

            int INamed.Size { get; set; } = 4;

            KeyValuePair<string, int> IHolding<KeyValuePair<string, int>>.Held
                => new KeyValuePair<string, int>("k", 7);

            INested IHolding<INested>.Held => null;

            int INested.Deep => ++Calls;

            int IList2.@class => 5;
        }

        public class Derived2 : Both, INamed
        {
            string INamed.Name => "derived";

            int INamed.Size { get; set; } = 6;
        }

        private interface INested2
        {
            int Inside { get; }
        }

        public struct Only2<T> : IHolding<T[]>, INested2
        {
            T[] IHolding<T[]>.Held => null;

            int INested2.Inside => 3;
        }

        public interface INested
        {
            int Deep { get; }
        }

        public interface IList2 : INested
        {
            int @class { get; }
        }
    }
}
