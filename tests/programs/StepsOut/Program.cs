using System;
using System.Threading.Tasks;

namespace StepsOut
{
    // Methods in which exceptions are raised and handled while a step goes out of them.
    public static class Program
    {
        private static int number;

        public static async Task Main()
        {
            Handled(); // @calls-handled
            Conditional(); // @calls-conditional
            Recursive(2); // @calls-recursive
            Finally(); // @calls-finally
            FromHandler(); // @calls-from-handler
            try
            {
                Rethrown();
            }
            catch (Exception) // @takes-rethrown
            {
                number++;
            }
            try
            {
                Left();
            }
            catch (Exception e) when (e.Message.Length > 0) // @takes-left
            {
                number++;
            }
            await Awaiting(); // @awaits
            Console.WriteLine(number); // @end
        }

        private static void Fail() => throw new InvalidOperationException("fail");

        private static void Handled()
        {
            number++; // @handled
            try
            {
                throw new InvalidOperationException("here");
            }
            catch (InvalidOperationException)
            {
                number++;
            }
            Caught();
        }

        private static void Conditional()
        {
            number++; // @conditional
            try
            {
                Fail();
            }
            catch (Exception e) when (e.Message == "other")
            {
                number++;
            }
            catch (Exception e) when (e.Message == "fail") // @condition
            {
                number++;
            }
        }

        private static void Recursive(int depth)
        {
            try
            {
                if (depth > 0)
                {
                    Recursive(depth - 1); // @calls-itself
                }
                else
                {
                    number++; // @recursive
                    Fail();
                }
            }
            catch (Exception) when (depth == 1) // @takes-deepest
            {
                number++;
            }
        }

        private static void Finally()
        {
            try
            {
                number++;
            }
            finally
            {
                number++; // @finally
                Caught();
            }
            Caught();
        }

        private static void FromHandler()
        {
            try
            {
                Fail();
            }
            catch (InvalidOperationException)
            {
                number++; // @from-handler
            }
            Caught();
            Caught();
        }

        private static void Rethrown()
        {
            try
            {
                number++; // @rethrown
                Fail();
            }
            catch (InvalidOperationException)
            {
                number++;
                throw;
            }
        }

        private static void Left()
        {
            try
            {
                number++; // @left
                Fail();
            }
            finally
            {
                Caught();
            }
        }

        private static async Task Awaiting()
        {
            try
            {
                number++; // @awaiting
                Fail();
            }
            catch (InvalidOperationException)
            {
                number++;
            }
            await Task.Yield();
        }

        private static void Caught()
        {
            try
            {
                Fail();
            }
            catch (Exception)
            {
                number++;
            }
        }
    }
}
