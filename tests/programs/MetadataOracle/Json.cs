// Writes records as json.dumps(obj, sort_keys=True, separators=(",", ":"), ensure_ascii=True) does.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

/// <summary>A record: its members are written in ordinal order of their names.</summary>
sealed class Record : SortedDictionary<string, object>
{
    public Record() : base(StringComparer.Ordinal) { }
}

static class Json
{
    public static string Line(object value)
    {
        var text = new StringBuilder();
        Write(text, value);
        return text.ToString();
    }

    static void Write(StringBuilder text, object value)
    {
        switch (value)
        {
            case null: text.Append("null"); break;
            case string s: WriteString(text, s); break;
            case bool b: text.Append(b ? '1' : '0'); break;
            case Record record:
                text.Append('{');
                var first = true;
                foreach (var pair in record)
                {
                    if (!first) text.Append(',');
                    first = false;
                    WriteString(text, pair.Key);
                    text.Append(':');
                    Write(text, pair.Value);
                }
                text.Append('}');
                break;
            case IEnumerable items:
                text.Append('[');
                var before = false;
                foreach (var item in items)
                {
                    if (before) text.Append(',');
                    before = true;
                    Write(text, item);
                }
                text.Append(']');
                break;
            case IFormattable number: text.Append(number.ToString(null, CultureInfo.InvariantCulture)); break;
            default: throw new InvalidOperationException(value.GetType().Name);
        }
    }

    static void WriteString(StringBuilder text, string value)
    {
        text.Append('"');
        foreach (var c in value)
        {
            switch (c)
            {
                case '"': text.Append("\\\""); break;
                case '\\': text.Append("\\\\"); break;
                case '\n': text.Append("\\n"); break;
                case '\r': text.Append("\\r"); break;
                case '\t': text.Append("\\t"); break;
                case '\b': text.Append("\\b"); break;
                case '\f': text.Append("\\f"); break;
                default:
                    if (c >= ' ' && c <= '~') text.Append(c);
                    else text.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                    break;
            }
        }
        text.Append('"');
    }

    public static string Hex(IEnumerable<byte> bytes) => string.Concat(bytes.Select(b => b.ToString("x2", CultureInfo.InvariantCulture)));

    public static string Sha256(byte[] bytes)
    {
        using (var hash = SHA256.Create()) return Hex(hash.ComputeHash(bytes));
    }

    public static string Short(byte[] bytes) => bytes.Length <= 64 ? Hex(bytes) : "sha256:" + bytes.Length + ":" + Sha256(bytes);

    public static readonly Record Error = new Record { { "error", 1 } };

    public static object Try(Func<object> make)
    {
        try { return make(); }
        catch (Exception e) when (e is BadImageFormatException || e is ArgumentException || e is InvalidOperationException || e is OverflowException || e is InvalidCastException) { return Error; }
    }
}
