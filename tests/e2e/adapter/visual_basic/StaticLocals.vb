Imports System
Imports System.Collections.Generic

' Static locals of a method and of a shared one, of two overloads, and tuples with names.
Module Program
    Class Counter
        Public Function Work(by As Integer) As Integer
            Static total As Integer = 5
            Static words As New List(Of String)
            Dim own As (Number As Integer, Word As String) = (1, "a")
            total += by
            words.Add(own.Word)
            Console.WriteLine(total) ' @work
            Return total
        End Function

        Public Function Work(by As String) As Integer
            Static total As String = "of the other"
            Console.WriteLine(total & by) ' @other
            Return total.Length
        End Function
    End Class

    Function Count() As Integer
        Static calls As Integer
        calls += 1
        Return calls ' @shared
    End Function

    Sub Main()
        Dim counter As New Counter()
        counter.Work(1)
        counter.Work("x")
        Count()
        Console.WriteLine(Count()) ' @main
    End Sub
End Module
