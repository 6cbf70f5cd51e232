Imports System
Imports System.Collections.Generic
Imports System.Threading.Tasks
Imports Text = System.Text
Imports <xmlns:ns="http://example.org">

Namespace Basic
    Public Module Program
        Public Event Happened(sender As Object)
        Private WithEvents source As Watcher = New Watcher()
        Public Const Moment As Date = #1/2/2023 3:04:05 PM#
        Public Property Item(index As Integer) As String
            Get
                Return index.ToString()
            End Get
            Set(value As String)
                Console.WriteLine(value)
            End Set
        End Property

        Sub Main(args As String())
            Const local As Date = #12/31/1999#
            Const amount As Decimal = 12.50D
            Const letter As Char = "c"c
            Const nothingAtAll As String = Nothing
            Dim total = 0
            For i As Integer = 1 To 10 Step 2
                total += i
            Next
            Dim add = Function(x As Integer) x + total
            Console.WriteLine("{0}{1}{2}{3}{4}", local, amount, letter, nothingAtAll, add(3))
            Static counter As Integer = 5
            counter += 1
            Try
                Throw New InvalidOperationException()
            Catch ex As InvalidOperationException When total > 3
                On_Error()
            Finally
                Console.WriteLine()
            End Try
            Wait(3).Wait()
        End Sub

        Sub On_Error()
            On Error Resume Next
            Dim builder As New Text.StringBuilder()
            builder.Append("x")
        End Sub

        Async Function Wait(n As Integer) As Task(Of Integer)
            For Each number As Integer In Count(n)
                Await Task.Delay(number)
            Next
            Return n
        End Function

        Iterator Function Count(n As Integer) As IEnumerable(Of Integer)
            For i As Integer = 0 To n
                Yield i
            Next
        End Function

        Private Sub Handle(sender As Object) Handles source.Moved
            RaiseEvent Happened(sender)
        End Sub
    End Module

    Public Class Watcher
        Public Event Moved(sender As Object)
        Public Shared Operator +(a As Watcher, b As Watcher) As Watcher
            Return a
        End Operator
    End Class
End Namespace
