// A web application whose asynchronous handlers throw, each at the address that names it; with `?waits` after a
// middleware has waited. With the argument `page` it has the developer exception page, with `background` a service that
// fails.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Components;
using Microsoft.AspNetCore.Components.Rendering;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace WebThrows
{
    public class HandledException : Exception
    {
    }

    public static class Program
    {
        public static void Main(string[] args)
        {
            Host.CreateDefaultBuilder().ConfigureWebHostDefaults(web => web
                .UseUrls("http://127.0.0.1:0")
                .ConfigureServices(services =>
                {
                    services.AddControllers();
                    services.AddSignalR();
                    services.AddRazorComponents();
                    if (args.Contains("background"))
                    {
                        services.AddHostedService<Background>();
                    }
                })
                .Configure(app => Configure(app, args.Contains("page")))).Build().Run();
        }

        private static void Configure(IApplicationBuilder app, bool hasPage)
        {
            if (hasPage)
            {
                app.UseDeveloperExceptionPage();
            }
            app.Use(async (context, next) =>
            {
                try
                {
                    await next(context);
                }
                catch (HandledException)
                {
                    context.Response.StatusCode = 418;
                }
            });
            app.Use(async (context, next) =>
            {
                if (context.Request.Query.ContainsKey("waits"))
                {
                    await Task.Delay(50);
                }
                if (context.Request.Path == "/middleware")
                {
                    await Task.Delay(50);
                    throw new InvalidOperationException("middleware"); // @middleware
                }
                await next(context);
            });
            app.UseRouting().UseAntiforgery().UseEndpoints(endpoints =>
            {
                endpoints.MapControllers();
                endpoints.MapHub<Talk>("/hub");
                endpoints.MapRazorComponents<Root>();
                endpoints.MapGet("/minimal", (Func<Task<string>>)(async () =>
                {
                    await Task.Delay(50);
                    throw new InvalidOperationException("minimal"); // @minimal
                }));
                endpoints.MapGet("/early", (Func<Task<string>>)(async () =>
                {
                    if (hasPage || !hasPage)
                    {
                        throw new InvalidOperationException("early"); // @early
                    }
                    await Task.Delay(50);
                    return "";
                }));
                endpoints.MapGet("/inner", (Func<Task<string>>)(async () =>
                {
                    await Task.Yield();
                    return await Inner();
                }));
                endpoints.MapGet("/handled", (Func<Task<string>>)(async () =>
                {
                    await Task.Delay(50);
                    throw new HandledException();
                }));
                endpoints.MapGet("/handled-early", (Func<Task<string>>)(async () =>
                {
                    if (hasPage || !hasPage)
                    {
                        throw new HandledException();
                    }
                    await Task.Delay(50);
                    return "";
                }));
                endpoints.MapGet("/own", (Func<Task<string>>)(async () =>
                {
                    try
                    {
                        return await Inner();
                    }
                    catch (InvalidOperationException)
                    {
                        return "own";
                    }
                }));
            });
        }

        private static async Task<string> Inner()
        {
            await Task.Delay(50);
            throw new InvalidOperationException("inner"); // @inner
        }
    }

    [ApiController]
    public class FailController : ControllerBase
    {
        [HttpGet("controller")]
        public async Task<string> Late()
        {
            await Task.Delay(50);
            throw new InvalidOperationException("controller"); // @controller
        }

        [HttpGet("controller-early")]
        public async Task<string> Early()
        {
            if (Request.Path.HasValue)
            {
                throw new InvalidOperationException("controller-early"); // @controller-early
            }
            await Task.Delay(50);
            return "";
        }

        [HttpGet("controller-handled")]
        public async Task<string> Handled()
        {
            await Task.Delay(50);
            throw new HandledException();
        }
    }

    public class Talk : Hub
    {
        public async Task Fail()
        {
            await Task.Delay(50);
            throw new InvalidOperationException("hub"); // @hub
        }
    }

    public class Background : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            await Task.Delay(200);
            throw new InvalidOperationException("background"); // @background
        }
    }

    public class Root : ComponentBase
    {
        protected override void BuildRenderTree(RenderTreeBuilder builder)
        {
            builder.OpenComponent<Microsoft.AspNetCore.Components.Routing.Router>(0);
            builder.AddAttribute(1, "AppAssembly", typeof(Root).Assembly);
            builder.AddAttribute(2, "Found", (RenderFragment<Microsoft.AspNetCore.Components.RouteData>)(data => inner =>
            {
                inner.OpenComponent<RouteView>(0);
                inner.AddAttribute(1, "RouteData", data);
                inner.CloseComponent();
            }));
            builder.CloseComponent();
        }
    }

    [Microsoft.AspNetCore.Components.Route("/component")]
    public class Component : ComponentBase
    {
        protected override async Task OnInitializedAsync()
        {
            await Task.Delay(50);
            throw new InvalidOperationException("component"); // @component
        }
    }

    [Microsoft.AspNetCore.Components.Route("/navigates")]
    public class Navigates : ComponentBase
    {
        [Inject]
        public NavigationManager Navigation { get; set; }

        protected override async Task OnInitializedAsync()
        {
            await Task.Delay(50);
            Navigation.NavigateTo("/elsewhere");
        }
    }
}
