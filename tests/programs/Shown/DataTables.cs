using System;
using System.Data;

namespace Shown
{
    // A table with rows in every state, and one with as many rows as fill several pages of its tree.
    public static class DataTables
    {
        public static void Show()
        {
            DataTable people = new DataTable("People");
            people.Columns.Add("Name", typeof(string));
            people.Columns.Add("Age", typeof(int));
            people.Columns.Add("Born", typeof(DateTime));
            people.Columns.Add("Any", typeof(object));
            people.Columns.Add("Id", typeof(Guid));
            people.Columns.Add("Twice", typeof(int), "Age * 2");
            people.Columns.Add("Kind", typeof(DayOfWeek));
            people.Rows.Add("Ann", 42, new DateTime(2024, 1, 2), "x", Guid.Empty, null, DayOfWeek.Monday);
            people.Rows.Add("Bob", DBNull.Value, null, 5);
            people.Rows.Add(null, 0);
            people.AcceptChanges();
            people.Rows[0]["Age"] = 43;
            people.Rows[2].Delete();
            DataRow inserted = people.NewRow();
            inserted["Name"] = "Zed";
            people.Rows.InsertAt(inserted, 1);
            DataRow edited = people.Rows[2];
            edited.BeginEdit();
            edited["Age"] = 7;
            DataTable numbers = new DataTable();
            numbers.Columns.Add("N", typeof(int));
            for (int i = 0; i < 6_000; i++)
            {
                numbers.Rows.Add(i);
            }
            for (int i = 0; i < 100; i++)
            {
                numbers.Rows.RemoveAt(i * 3);
            }
            int[] expected = new int[numbers.Rows.Count];
            for (int i = 0; i < expected.Length; i++)
            {
                expected[i] = (int)numbers.Rows[i]["N"];
            }
            DataTable none = new DataTable("None");
            Program.Use(people, numbers, expected, none); // @tables
        }
    }
}
