using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Members
{
    // Variables of patterns in a `switch` that lambdas capture: all sections have theirs in one closure.
    public static class Patterns
    {
        public static void Show()
        {
            Sections("text");
            Sections(5);
            Sections(new List<int> { 1, 2 });
            SameName("outer", "inner");
            Awaiting("later", 7).Wait();
            foreach (int length in Yielding("some"))
                Program.Use(length);
            Generic<int>(6);
        }

        private static void Sections(object value)
        {
            switch (value)
            {
                case string s when s.Length > 1:
                    Func<int> length = () =>
                        s.Length; // @inLambda
                    Program.Use(length()); // @string
                    break;
                case int n:
                    Func<int> next = () => n + 1;
                    Program.Use(next()); // @int
                    break;
                case List<int> s:
                    Func<int> count = () => s.Count;
                    s = new List<int>(s);
                    Program.Use(count()); // @list
                    break;
            }
            Program.Use(value); // @behind
        }

        private static void SameName(object first, object second)
        {
            switch (first)
            {
                case string s:
                    Func<string> one = () => s;
                    switch (second)
                    {
                        case string t:
                            Func<string> both = () => s + t;
                            Program.Use(one(), both()); // @nested
                            break;
                    }
                    break;
            }
            switch (second)
            {
                case string s:
                    Func<string> other = () => s;
                    Program.Use(other()); // @same
                    break;
            }
        }

        private static async Task Awaiting(object value, object other)
        {
            await Task.Yield();
            while (true)
            {
                switch (value)
                {
                    case string s:
                        Func<int> length = () => s.Length;
                        try
                        {
                            await Task.Yield();
                            Program.Use(length()); // @awaited
                            switch (other)
                            {
                                case int n:
                                    Func<int> sum = () => n + s.Length;
                                    await Task.Yield();
                                    Program.Use(sum()); // @awaitedTwice
                                    break;
                            }
                        }
                        finally
                        {
                            await Task.Yield();
                        }
                        break;
                }
                await Task.Yield();
                break;
            }
            Program.Use(value); // @noLonger
        }

        private static IEnumerable<int> Yielding(object value)
        {
            switch (value)
            {
                case string s:
                    Func<int> length = () => s.Length;
                    yield return length();
                    Program.Use(s); // @yielded
                    break;
            }
        }

        private static void Generic<T>(object value)
        {
            switch (value)
            {
                case T t:
                    Func<T> same = () => t;
                    Program.Use(same()); // @generic
                    break;
            }
        }
    }
}
