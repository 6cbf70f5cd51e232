Imports System

Public Module External
    Public Sub Plain()
        Console.WriteLine("no points at all")
    End Sub

#ExternalSource("page.vbhtml", 7)
    Public Sub Mapped()
        Console.WriteLine("line 8 of the page")
    End Sub
#End ExternalSource
End Module
