using System;
using System.Threading.Tasks;

namespace RuntimeAsync
{
    // Built with the compiler's feature runtime-async: the runtime suspends Later, and there is no state machine.
    public static class Program
    {
        public static int Main()
        {
            int before = 1; // @before
            int result = before + Later().Result;
            return result; // @after
        }

        private static async Task<int> Later()
        {
            await Task.Yield();
            return 4; // @in-async
        }
    }
}
