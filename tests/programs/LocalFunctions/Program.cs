using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace LocalFunctions
{
    // Local functions whose variables the compiler puts into structures, into objects, and into fields of state machines.
    public class Program
    {
        private int field = 8;

        public static int Main()
        {
            new Program().InStructures(3);
            new Program().InObjects(3);
            RunAsync().Wait();
            return Iterate().Sum() - 11;
        }

        private void InStructures(int argument)
        {
            int total = 100;
            int count = 0;
            string prefix = "p";
            int Add(int x) => x + total;
            string Text(string a) => prefix + a + field;
            int Next() => ++count;
            int Down(int n) => n <= 0 ? total : 1 + Down(n - 1);
            int Times(int k) => k * argument;
            T Same<T>(T x) => total > 0 ? x : default;
            int More(int x = 4) => x + total;
            void Set(string s) => prefix = s;
            for (int i = 0; i < 1; i++)
            {
                int inner = 7;
                int Deep(int z) => z + inner + total;
                Console.WriteLine(Deep(1)); // @structures
            }
            Set(Text(Same("a")) + Add(1) + Next() + Down(2) + Times(3) + More());
            Console.WriteLine(count + prefix);
        }

        private void InObjects(int argument)
        {
            int total = 100;
            int count = 0;
            string prefix = "p";
            int Add(int x) => x + total;
            string Text(string a) => prefix + a + field;
            int Next() => ++count;
            int Down(int n) => n <= 0 ? total : 1 + Down(n - 1);
            int Times(int k) => k * argument;
            T Same<T>(T x) => total > 0 ? x : default;
            int More(int x = 4) => x + total;
            void Set(string s) => prefix = s;
            Func<int> all = () => total + count + prefix.Length + argument;
            for (int i = 0; i < 1; i++)
            {
                int inner = 7;
                int Deep(int z) => z + inner + total;
                Func<int> one = () => inner;
                Console.WriteLine(Deep(1) + one()); // @objects
            }
            Set(Text(Same("a")) + Add(1) + Next() + Down(2) + Times(3) + More() + all());
            Console.WriteLine(count + prefix);
        }

        private static async Task<int> RunAsync()
        {
            int total = 5;
            int Add(int x) => x + total;
            await Task.Yield();
            Console.WriteLine(total); // @async
            return Add(1);
        }

        private static IEnumerable<int> Iterate()
        {
            int total = 5;
            int Add(int x) => x + total;
            yield return 1;
            Console.WriteLine(total); // @iterator
            yield return Add(5);
        }
    }
}
