using System;
using System.Collections.Generic;
using System.Text;
using System.Text.Json;
#if NET6_0_OR_GREATER
using System.Text.Json.Nodes;
#endif

namespace Shown
{
    // Documents of fixed and of random content, of which the test knows the text; nodes as they were parsed, looked into, made.
    public static class JsonDocuments
    {
        static readonly string[] Words =
        {
            "id", "name", "a b", "", "\\u00e9\\n", "é", "q\\\"q", "\\\\", "\\ud83d\\ude00", "x", "\\/", "line\\\\n",
        };

        static readonly string[] Numbers = { "0", "-1", "4.50", "1e400", "12345678901234567890123", "-0.0" };

        public static void Show()
        {
            string fixedText = "{ \"id\" : 7,\n  \"tags\": [\"a\", 3, null],\n \"id\": 8, \"e\": {}, \"f\": [] }";
            JsonDocument document = JsonDocument.Parse(fixedText);
            JsonElement root = document.RootElement;
            JsonElement part = root.GetProperty("tags");
            JsonElement undefined = default;
            JsonProperty property = default;
            foreach (JsonProperty each in root.EnumerateObject())
            {
                property = each;
                break;
            }
            StringBuilder builder = new StringBuilder();
            Random random = new Random(7);
            Write(builder, random, 0);
            string randomText = builder.ToString();
            JsonElement mixed = JsonDocument.Parse(randomText).RootElement;
            JsonElement many = JsonDocument.Parse("[" + string.Join(",", Numbered(20_000)) + "]").RootElement;
            JsonDocument disposed = JsonDocument.Parse("[1]");
            JsonElement ofDisposed = disposed.RootElement;
            disposed.Dispose();
            Console.WriteLine(randomText.Length); // @json
#if NET6_0_OR_GREATER
            JsonNode parsed = JsonNode.Parse(fixedText.Replace("\"id\": 8, ", ""));
            JsonNode used = JsonNode.Parse(fixedText.Replace("\"id\": 8, ", ""));
            int seen = (int)used["id"];
            JsonObject made = new JsonObject { ["n"] = 1, ["s"] = "two", ["l"] = new JsonArray(1, "x", null), ["o"] = null };
            JsonObject empty = new JsonObject();
            Console.WriteLine(seen + made.Count + empty.Count + parsed.GetHashCode()); // @nodes
#endif
            GC.KeepAlive(new List<object> { document, part, undefined, property, mixed, many, ofDisposed });
        }

        static IEnumerable<int> Numbered(int count)
        {
            for (int i = 0; i < count; i++)
            {
                yield return i;
            }
        }

        static void Write(StringBuilder text, Random random, int depth)
        {
            string space = random.Next(3) == 0 ? " \n " : "";
            switch (depth == 0 ? 6 : random.Next(depth > 3 ? 5 : 8))
            {
                case 0:
                    text.Append("null");
                    break;
                case 1:
                    text.Append(random.Next(2) == 0 ? "true" : "false");
                    break;
                case 2:
                case 3:
                    text.Append(Numbers[random.Next(Numbers.Length)]);
                    break;
                case 4:
                    text.Append('"').Append(Words[random.Next(Words.Length)]).Append('"');
                    break;
                case 5:
                case 6:
                    text.Append('{');
                    for (int i = random.Next(6); i >= 0; i--)
                    {
                        text.Append(space).Append('"').Append(Words[random.Next(Words.Length)]).Append("\":").Append(space);
                        Write(text, random, depth + 1);
                        text.Append(i > 0 ? "," : "");
                    }
                    text.Append(space).Append('}');
                    break;
                default:
                    text.Append('[');
                    for (int i = random.Next(5) - 1; i >= 0; i--)
                    {
                        Write(text, random, depth + 1);
                        text.Append(space).Append(i > 0 ? "," : "");
                    }
                    text.Append(']');
                    break;
            }
        }
    }
}
