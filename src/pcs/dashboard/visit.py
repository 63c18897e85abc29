"""One request to the dashboard: who is there, what they may do, what they sent, and how they are answered.

The trap: an action that forgets a check; `page` and `action` make routes whose checks cannot be left out, and a test
walks all of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pcs.base.database import is_full, is_unavailable
from pcs.base.errors import DamagedError, InvalidRequestError, NotFoundError, RefusalError, Violation
from pcs.base.tenancy import Environment, Tenant
from pcs.base.text import storable
from pcs.bootstrap import Service
from pcs.dashboard.hashing import Hasher
from pcs.dashboard.pages import Pages
from pcs.dashboard.provider import Provider
from pcs.dashboard.reader import remembering
from pcs.dashboard.security import (
    FORM_COOKIE,
    SESSION_COOKIE,
    THEME_COOKIE,
    comes_from_us,
    form_token,
    is_form_token,
    set_cookie,
)
from pcs.organizations import guesses, members, sessions
from pcs.organizations.people import Actor, Member, NotPermittedError, Origin, Permission, Session, ThrottledError

ROOT = "/dashboard"
THEMES = ("system", "light", "dark")
_LONGEST_SEARCH = 200


class ForeignFormError(RefusalError):
    """A form that is not ours, or of a session that is over."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """What all visits share."""

    service: Service
    pages: Pages
    hasher: Hasher
    provider: Provider | None = None


@dataclass(slots=True)
class Visit:
    """One request. `values` is what a form said, `errors` what was wrong with it by field ("" for all of it)."""

    request: Request
    dashboard: Dashboard
    now: dt.datetime
    environment: Environment = Environment.LIVE
    session: Session | None = None
    form: FormData = field(default_factory=FormData)
    errors: dict[str, str] = field(default_factory=dict)
    browser: str = ""

    @property
    def service(self) -> Service:
        """The service's parts."""
        return self.dashboard.service

    @property
    def signed_in(self) -> Session:
        """The session; routes made here have one."""
        assert self.session is not None
        return self.session

    @property
    def member(self) -> Member:
        """Who is there."""
        return self.signed_in.member

    @property
    def tenant(self) -> Tenant:
        """Whose data is shown: the member's organization in the environment that the address names."""
        return Tenant(self.signed_in.organization.id, self.environment)

    @property
    def actor(self) -> Actor:
        """Who does what is done, for the audit log."""
        name = f"{self.member.name} <{self.member.email}>" if self.member.name else self.member.email
        return Actor(self.member.organization_id, self.member.id, name, self.origin.address)

    @property
    def origin(self) -> Origin:
        """Where the request comes from."""
        client = self.request.client
        return Origin(client.host if client else "unknown", self.request.headers.get("user-agent", ""))

    @property
    def base(self) -> str:
        """The address that this environment's pages begin with."""
        return f"{ROOT}/{self.environment}"

    @property
    def holder(self) -> str:
        """What form tokens are bound to."""
        token = self.request.cookies.get(SESSION_COOKIE)
        return token if self.session is not None and token else f"browser {self.browser}"

    @property
    def token(self) -> str:
        """The token for this visit's forms."""
        return form_token(self.service.secrets, self.holder)

    @property
    def wrong_field(self) -> str:
        """The first field that was wrong, to go to; not the password that several forms of one page ask for."""
        return next((name for name in reversed(self.errors) if name not in {"", "current_password"}), "")

    @property
    def theme(self) -> str:
        """Light, dark, or as the system has it."""
        chosen = self.request.cookies.get(THEME_COOKIE, "")
        return chosen if chosen in THEMES else "system"

    def text(self, name: str, otherwise: str = "") -> str:
        """One field of the form."""
        value = self.form.get(name)
        return value if isinstance(value, str) else otherwise

    def line(self, name: str, *, longest: int) -> str:
        """One field of the form on one line. Raises InvalidRequestError where it is too long: nothing is cut."""
        text = " ".join(self.text(name).replace("\x00", "").split())
        if len(text) > longest:
            raise InvalidRequestError(Violation(name, f"must have at most {longest} characters"))
        return text

    def texts(self, name: str) -> list[str]:
        """Every value of a field of the form."""
        return [value for value in self.form.getlist(name) if isinstance(value, str)]

    def file(self, name: str) -> UploadFile | None:
        """An uploaded file, None where none was chosen."""
        value = self.form.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def asked(self, name: str) -> str:
        """One field of the address's query, without white space around it; no NUL, which PostgreSQL cannot take."""
        return storable(self.request.query_params.get(name, "")).strip()

    def searched(self) -> str:
        """What is searched for. Raises InvalidRequestError where it is too long: nothing is cut."""
        words = self.asked("q")
        if len(words) > _LONGEST_SEARCH:
            raise InvalidRequestError(Violation("search", f"must have at most {_LONGEST_SEARCH} characters"))
        return words

    def may(self, permission: Permission) -> bool:
        """Whether the member may do something."""
        return self.member.may(permission)

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """A page."""
        return self.dashboard.pages.respond(template, status, visit=self, **context)

    def go(self, path: str, **query: str) -> Response:
        """Send the browser to a page of this environment, with what to say there in `done`."""
        address = f"{self.base}{path}" + (f"?{urlencode(query)}" if query else "")
        return RedirectResponse(address, 303)


class _EnvironmentConvertor(Convertor[str]):
    """`live` or `test` in an address; anything else is no page."""

    regex = "|".join(Environment)

    def convert(self, value: str) -> str:
        """As it is."""
        return value

    def to_string(self, value: str) -> str:
        """As it is."""
        return value


register_url_convertor("environment", _EnvironmentConvertor())

Handler = Callable[[Visit], Awaitable[Response]]


class Guarded(Route):
    """A route with what it asks for; `needs` None lets anybody in."""

    needs: Permission | None = None
    confirms: bool = False


def page(path: str, show: Handler, *, needs: Permission | None = Permission.VIEW) -> Guarded:
    """A page to look at."""

    async def endpoint(request: Request) -> Response:
        visit = await arrive(request)
        return _welcome(visit, needs) or remembering(request, await _answered(visit, show))

    return _guarded(Guarded(path, endpoint, methods=["GET"]), needs)


def action(
    path: str, act: Handler, *, shown: Handler, needs: Permission | None = Permission.VIEW, confirms: bool = False
) -> Guarded:
    """What a form does. Where it is refused, `shown` is the page to show it on again.

    With `confirms` the password has to be given, unless it was a short while ago.
    """

    async def checked(visit: Visit) -> Response:
        if confirms:
            await confirm_password(visit)
        return await act(visit)

    async def endpoint(request: Request) -> Response:
        if not comes_from_us(request.headers):
            visit = await arrive(request)
            return problem(visit, ForeignFormError("This form was sent from another site."))
        async with request.form(max_files=1, max_fields=200, max_part_size=64 * 1024) as form:
            visit = await arrive(request)
            visit.form = _storable(form)
            if not _is_ours(visit):
                refusal = ForeignFormError("This form is out of date: open it again.")
                return _welcome(visit, needs) or problem(visit, refusal)
            return _welcome(visit, needs) or await _acted(visit, checked, shown)

    return _guarded(Guarded(path, endpoint, methods=["POST"]), needs, confirms=confirms)


def _storable(form: FormData) -> FormData:
    """The form without what PostgreSQL cannot take: here, once, for every field, file name and page."""
    for _, value in form.multi_items():
        if isinstance(value, UploadFile):
            value.filename = storable(value.filename or "")
    return FormData(
        [(storable(name), storable(value) if isinstance(value, str) else value) for name, value in form.multi_items()]
    )


def _is_ours(visit: Visit) -> bool:
    bound = visit.session is not None or bool(visit.browser)
    return bound and is_form_token(visit.service.secrets, visit.holder, visit.text("form_token"))


def _guarded(route: Guarded, needs: Permission | None, *, confirms: bool = False) -> Guarded:
    route.needs, route.confirms = needs, confirms
    return route


async def arrive(request: Request) -> Visit:
    """Who is there."""
    dashboard: Dashboard = request.app.state.dashboard
    visit = Visit(request, dashboard, dashboard.service.clock())
    request.scope["path_params"] = {name: storable(value) for name, value in request.path_params.items()}
    visit.environment = Environment(request.path_params.get("environment", Environment.LIVE))
    visit.browser = request.cookies.get(FORM_COOKIE, "")
    token = request.cookies.get(SESSION_COOKIE)
    if token:
        async with visit.service.database.begin() as transaction:
            visit.session = await sessions.find(transaction, token, visit.service.secrets, now=visit.now)
    return visit


def _welcome(visit: Visit, needs: Permission | None) -> Response | None:
    """None where the visitor may come in; otherwise where they are sent, or what they are told."""
    if needs is None:
        return None
    if visit.session is None:
        wanted = visit.request.url.path if visit.request.method == "GET" else ""
        return RedirectResponse(f"{ROOT}/sign-in" + (f"?{urlencode({'next': wanted})}" if wanted else ""), 303)
    if not visit.may(needs):
        return problem(visit, NotPermittedError("Your role does not allow this. An owner or admin can help."))
    return None


async def _answered(visit: Visit, show: Handler) -> Response:
    try:
        return await show(visit)
    except RefusalError as refusal:
        return problem(visit, refusal)


async def _acted(visit: Visit, act: Handler, shown: Handler) -> Response:
    try:
        return await act(visit)
    except NotFoundError as refusal:
        return problem(visit, refusal)
    except RefusalError as refusal:
        visit.errors = _errors(refusal)
        response = await _answered(visit, shown)
        if response.status_code == 200:
            response.status_code = _status(refusal)
        return _with_wait(response, refusal)


def _with_wait(response: Response, refusal: RefusalError) -> Response:
    if isinstance(refusal, ThrottledError):
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def _errors(refusal: RefusalError) -> dict[str, str]:
    if isinstance(refusal, InvalidRequestError):
        return {one.field: f"{_label(one)} {one.message}." for one in reversed(refusal.violations)}
    return {"": str(refusal)}


def _label(violation: Violation) -> str:
    words = _WORDS.get(violation.field, violation.field.replace("_", " ").replace(".", " "))
    return words[:1].upper() + words[1:].replace("url", "URL") if words != "url" else "URL"


_WORDS = {"old_password": "current password", "current_password": "your password", "password_again": "password again"}
"""What forms call a field, where that is not its name."""

_STATUSES: Mapping[type[RefusalError], int] = {
    InvalidRequestError: 422,
    NotFoundError: 404,
    NotPermittedError: 403,
    ForeignFormError: 403,
    ThrottledError: 429,
    DamagedError: 503,
}


def _status(refusal: RefusalError) -> int:
    return _STATUSES.get(type(refusal), 409)


_TITLES = {403: "Not allowed", 404: "Not found", 503: "Not available"}


def problem(visit: Visit, refusal: RefusalError) -> Response:
    """A page that says why not."""
    status = _status(refusal)
    title = _TITLES.get(status, "That did not work")
    return _with_wait(
        visit.render("problem.html", status, title=title, message=" ".join(_errors(refusal).values())), refusal
    )


def fault(visit: Visit, error: BaseException) -> Response:
    """A page for what went wrong on our side."""
    if is_full(error):
        message = "The storage is full: you can look at everything, and nothing new can be stored until there is room."
        return visit.render("problem.html", 503, title="Not available now", message=message)
    if is_unavailable(error):
        message = "The database cannot be reached. Try again in a moment."
        return visit.render("problem.html", 503, title="Not available", message=message)
    message = "The fault is on our side. It is safe to try again."
    return visit.render("problem.html", 500, title="Something went wrong", message=message)


async def confirm_password(visit: Visit) -> None:
    """See that whoever sits there knows the password. Raises InvalidRequestError or ThrottledError."""
    session, now = visit.signed_in, visit.now
    if session.is_fresh(now):
        return
    given = visit.text("current_password")
    if not given:
        raise InvalidRequestError(Violation("current_password", "is needed for this"))
    if not await knows_password(visit, given):
        raise InvalidRequestError(Violation("current_password", "is not right"))
    async with visit.service.database.begin() as transaction:
        await sessions.confirm(transaction, session, now=now)


async def knows_password(visit: Visit, given: str) -> bool:
    """Whether somebody who is signed in gave their password; counted before it is tried. Raises ThrottledError."""
    guess, database = guesses.inside(visit.signed_in), visit.service.database
    async with database.begin() as transaction:
        await guesses.count(transaction, guess, now=visit.now)
        _, stored = await members.get(transaction, visit.member.organization_id, visit.member.id)
    right = await visit.dashboard.hasher.matches(stored, given)
    if right:
        async with database.begin() as transaction:
            await guesses.forgive(transaction, guess)
    return right


def remember_browser(visit: Visit, response: Response) -> Response:
    """Give a browser that is not signed in something to bind form tokens to."""
    if visit.browser and FORM_COOKIE not in visit.request.cookies:
        set_cookie(response, FORM_COOKIE, visit.browser)
    return response
