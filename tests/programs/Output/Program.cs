using System;
using System.IO;
using System.Text;

namespace Output
{
    // Writes in the way that its argument names; what comes out is the same on every runtime, byte for byte.
    public static class Program
    {
        public static int Main(string[] args)
        {
            string how = args.Length > 0 ? args[0] : "interleaved";
            using Stream stdout = Console.OpenStandardOutput();
            using Stream stderr = Console.OpenStandardError();
            switch (how)
            {
                case "interleaved":
                    for (int i = 0; i < 20; i++)
                    {
                        Write(stdout, "out " + i + "\n"); // @out
                        Write(stderr, "err " + i + "\n"); // @err
                    }
                    break;
                case "utf8":
                    // One byte a write: no reader sees a whole character at once.
                    foreach (byte one in Encoding.UTF8.GetBytes("naïve 日本 🎉\n"))
                    {
                        stdout.WriteByte(one);
                        stdout.Flush();
                    }
                    break;
                case "invalid":
                    stdout.Write(new byte[] { (byte)'a', 0xFF, 0xC3, (byte)'b', 0xE2, 0x82, (byte)'\n' }, 0, 7);
                    break;
                case "big":
                    // 4 MB in lines of 64 characters.
                    string line = new string('x', 63) + "\n";
                    for (int i = 0; i < 65536; i++)
                    {
                        Write(stdout, line);
                    }
                    break;
                case "unended":
                    Write(stdout, "no newline at the end");
                    break;
                case "long":
                    // One line of 1 MB.
                    Write(stdout, new string('y', 1 << 20) + "\n");
                    break;
                default:
                    Console.Error.WriteLine("unknown: " + how);
                    return 2;
            }
            return 0; // @return
        }

        private static void Write(Stream stream, string text)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            stream.Write(bytes, 0, bytes.Length);
            stream.Flush();
        }
    }
}
