using System;
using System.Threading.Tasks;
using Middleware;

namespace UserUnhandled
{
    // Handlers that throw, called by a library in the way that the argument names.
    public static class Program
    {
        public static async Task Main(string[] args)
        {
            switch (args[0])
            {
                case "fails":
                    Pipeline.Fails(); // @calls-library
                    break;
                case "async":
                    await Pipeline.Shown(Later, tells: true);
                    break;
                case "async-silent":
                    await Pipeline.Shown(Later, tells: false);
                    break;
                case "called":
                    Pipeline.Called(Throw, tells: true);
                    break;
                case "called-silent":
                    Pipeline.Called(Throw, tells: false);
                    break;
                case "swallowed":
                    Pipeline.Swallowed(Throw);
                    break;
                case "thrown-on": // by a method that does not tell of it: the program has stopped at the throw
                    Pipeline.Called(() => Pipeline.ThrownOn(Throw), tells: true);
                    break;
            }
            Console.WriteLine("end");
        }

        private static async Task Later()
        {
            await Task.Delay(1);
            Throw();
        }

        private static void Throw()
        {
            throw new InvalidOperationException("by the handler"); // @throw
        }
    }
}
