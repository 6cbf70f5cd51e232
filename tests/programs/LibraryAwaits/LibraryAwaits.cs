using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace LibraryAwaits
{
    // Async methods that async methods of the framework's await: Stream.CopyToAsync asks them for what it copies. With a
    // second argument only the first of them is suspended: the framework calls the others from its end.
    public static class Program
    {
        private static readonly ManualResetEventSlim Ended = new ManualResetEventSlim();
        private static bool onlyFirstWaits;

        public static async Task Main(string[] args)
        {
            onlyFirstWaits = args.Length > 1;
            if (args[0] == "nobody")
                Forget();
            else if (args[0] == "later")
                await Later();
            else if (args[0] == "blocked")
                Blocked();
            else
                await Awaited();
            Console.WriteLine("over"); // @end
        }

        private static void Forget()
        {
            _ = new Source().CopyToAsync(Stream.Null);
            Ended.Wait(20000);
            Thread.Sleep(100); // the framework takes the last result
        }

        private static async Task Awaited()
        {
            await new Source().CopyToAsync(Stream.Null); // @await-copy
            Work(); // @awaited-end
        }

        private static async Task Later()
        {
            Task copy = new Source().CopyToAsync(Stream.Null);
            Ended.Wait(20000);
            Thread.Sleep(100); // the copy has ended
            await copy; // @await-later
            Work();
        }

        private static void Blocked()
        {
            new Source().CopyToAsync(Stream.Null).Wait(); // @waits
            Work();
        }

        private static void Work()
        {
        }

        private sealed class Source : Stream
        {
            private int left = 2;

            public override bool CanRead => true;
            public override bool CanSeek => false;
            public override bool CanWrite => false;
            public override long Length => throw new NotSupportedException();
            public override long Position { get => 0; set => throw new NotSupportedException(); }

            public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken token = default)
            {
                if (left == 2 || !onlyFirstWaits)
                    await Task.Delay(20);
                if (left-- > 0)
                    return 1;
                Ended.Set(); // @last
                return 0; // @return
            } // @close

            public override void Flush() => throw new NotSupportedException();
            public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();
            public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
            public override void SetLength(long value) => throw new NotSupportedException();
            public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
        }
    }
}
