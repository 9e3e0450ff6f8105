"""The memory of LCM Inspector as the context engine of Hermes Agent (docs/hosts/hermes.md).

Every message of a session goes into a lossless memory. When the window is full, the summaries of that memory stand in
the place of what leaves it, and the model looks the rest up with three tools. `lcm engine` does the work in a process of
its own. Where it fails, Hermes keeps all messages as they are.
"""

import hashlib
import json
import logging
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional

from agent.context_engine import ContextEngine

logger = logging.getLogger(__name__)

TOOLS = ("lcm_grep", "lcm_describe", "lcm_expand")
AGENT = "hermes"
# Sessions that are stored live have a name of their own, because an import of state.db knows other ids of messages.
LIVE = "live:"
# This part of the threshold is kept as it was said.
KEPT = 0.35
SUMMARY_TOKENS = 8_000
ALL_TOKENS = 100_000_000
# So many of the newest messages that are stored are compared with those of Hermes.
MOST_COMPARED = 500
LEFT_TOKENS = 1500
HEADING = (
    "The conversation before this point is stored whole in a memory. These are its summaries, from the oldest to the"
    " newest.\nLook details up instead of guessing: lcm_grep searches everything that was said, lcm_expand opens a"
    " summary by its id, lcm_describe reads one message or summary."
)


class Refused(RuntimeError):
    """What the engine says in the place of an answer. The code is one of docs/reference.md, or None."""

    def __init__(self, error: Dict[str, Any]):
        super().__init__(error["message"])
        self.code: Optional[str] = (error.get("data") or {}).get("code")


class Engine:
    """Asks `lcm engine` one thing after the other. It is started with the first call, and again after it has ended."""

    def __init__(self, command: List[str]):
        self._command = command
        self._process: Optional[subprocess.Popen] = None
        self._last_id = 0
        self._lock = threading.Lock()

    def call(self, method: str, **params: Any) -> Any:
        """Raises RuntimeError with what the engine says, and OSError where it cannot be started."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    encoding="utf-8",
                )
            self._last_id += 1
            request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                try:
                    answer = json.loads(line)
                except ValueError:
                    # An engine that is killed in the middle of a line leaves the beginning of it.
                    break
                if answer.get("id") != self._last_id:
                    continue
                if "error" in answer:
                    raise Refused(answer["error"])
                return answer["result"]
            raise RuntimeError("lcm engine has ended")

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            try:
                process.stdin.close()
                process.wait(timeout=30)
            except (OSError, subprocess.TimeoutExpired):
                process.kill()
                process.wait()


class LcmInspectorEngine(ContextEngine):
    """One session of Hermes at a time, whose compacted sessions are one conversation of the memory."""

    def __init__(self, config: Optional[Dict[str, Any]] = None):
        given = config or installed()
        memory = os.environ.get("LCM_DATABASE_PATH") or given["memory"]
        self._engine = Engine(
            [given["node"], given["cli"], "engine", "--stdio", "--db", memory, "--agent", AGENT, "--no-auto-compact"]
        )
        self._session: Optional[str] = None
        self._conversation: Optional[int] = None
        # What is stored of the session: what each message says, in order. None until the memory was asked.
        self._stored: Optional[List[str]] = None
        self._schemas: Optional[List[Dict[str, Any]]] = None

    @property
    def name(self) -> str:
        return "lcm_inspector"

    # What Hermes tells.

    def update_from_response(self, usage: Dict[str, Any]) -> None:
        self.last_prompt_tokens = usage.get("prompt_tokens", 0)
        self.last_completion_tokens = usage.get("completion_tokens", 0)
        self.last_total_tokens = usage.get("total_tokens", 0)

    def on_session_start(self, session_id: str, **kwargs: Any) -> None:
        # A compaction ends a session of Hermes, and its child goes on with the same conversation.
        if kwargs.get("boundary_reason") == "compression" and self._session is not None:
            return
        self._session = LIVE + session_id
        self._conversation = None
        self._stored = None

    def on_turn_complete(self, messages: List[Dict[str, Any]], usage: Optional[Dict[str, Any]] = None, **_: Any) -> None:
        self._caught(lambda: self._store(messages))

    def on_session_end(self, session_id: str, messages: List[Dict[str, Any]]) -> None:
        self._caught(lambda: self._store(messages))
        self._engine.close()

    # What Hermes asks.

    def should_compress(self, prompt_tokens: Optional[int] = None) -> bool:
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        return self.threshold_tokens > 0 and tokens >= self.threshold_tokens

    def compress(
        self,
        messages: List[Dict[str, Any]],
        current_tokens: Optional[int] = None,
        focus_topic: Optional[str] = None,
        force: bool = False,
        memory_context: str = "",
    ) -> List[Dict[str, Any]]:
        compacted = self._caught(lambda: self._compacted(messages))
        if compacted is None:
            return messages
        self.compression_count += 1
        return compacted

    def get_tool_schemas(self) -> List[Dict[str, Any]]:
        if self._schemas is None:
            tools = self._caught(lambda: self._engine.call("tools.list")) or []
            self._schemas = [
                {"name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"]}
                for tool in tools
                if tool["name"] in TOOLS
            ]
        return self._schemas

    def handle_tool_call(self, name: str, args: Dict[str, Any], **kwargs: Any) -> str:
        if name not in TOOLS:
            return json.dumps({"error": f"There is no tool {name}."})
        try:
            return json.dumps(self._engine.call("tools.call", name=name, arguments=args))
        except (RuntimeError, OSError) as error:
            return json.dumps({"error": str(error)})

    # How it is done.

    def _caught(self, work: Any) -> Any:
        try:
            return work()
        except (RuntimeError, OSError) as error:
            logger.warning("LCM memory: %s Hermes goes on without it.", error)
            return None

    def _store(self, messages: List[Dict[str, Any]]) -> int:
        """Stores what is new, and returns how many of the messages are stored. System messages and summaries are not."""
        said = [message for message in messages if is_said(message)]
        if self._session is None or not said:
            return 0
        stored = self._known()
        digests = [digest_of(message) for message in said]
        new = said[met_at(stored, digests) :]
        if new:
            first = len(stored)
            given = [as_given(message, f"{first + n:08d}-{digest_of(message)}") for n, message in enumerate(new)]
            self._conversation = self._engine.call("ingest", sessionId=self._session, messages=given)["conversationId"]
            stored.extend(digest_of(message) for message in new)
        return len(said)

    def _known(self) -> List[str]:
        if self._stored is None:
            try:
                status = self._engine.call("status", sessionId=self._session)
                self._conversation = status["conversationId"]
                stored = self._engine.call("stored", conversationId=self._conversation, limit=MOST_COMPARED)
                newest = [message["externalId"].split("-", 1) for message in stored if message["externalId"]]
                before = int(newest[0][0]) if newest else 0
                self._stored = [""] * before + [digest for _, digest in newest]
            except Refused as error:
                if error.code != "not_found":
                    raise
                # Nothing of the session is stored.
                self._stored = []
        return self._stored

    def _compacted(self, messages: List[Dict[str, Any]]) -> Optional[List[Dict[str, Any]]]:
        """None when nothing became smaller."""
        if self._store(messages) == 0 or self._conversation is None:
            return None
        first = first_kept(messages, int((self.threshold_tokens or ALL_TOKENS) * KEPT))
        tail = [message for message in messages[first:] if is_said(message)]
        system = [message for message in messages if message.get("role") == "system"]
        settings = {"freshTailCount": len(tail), "minMessagesToCompact": 1}
        done = self._engine.call("compact", conversationId=self._conversation, settings=settings)
        # Where nothing was left to compact, an earlier answer may have failed, and Hermes still has what left the window.
        is_new = done.get("runId") is not None
        if not is_new and len(system) + 1 + len(tail) >= len(messages):
            return None
        whole = self._engine.call("assemble", conversationId=self._conversation, budgetTokens=ALL_TOKENS)
        stored = [item for item in whole["items"] if item["kind"] == "message"]
        if not is_new and len(stored) != len(tail):
            return None
        kept = sum(item["tokens"] for item in stored)
        window = self._engine.call(
            "assemble",
            conversationId=self._conversation,
            budgetTokens=kept + SUMMARY_TOKENS,
            freshTailCount=len(tail),
        )
        shown = [item for item in window["items"] if item["kind"] in ("leaf", "condensed") and item["included"]]
        if not shown:
            return None
        texts = [str(message["content"]) for message in window["messages"][: len(shown)]]
        # What left the window and stands in no summary.
        left = self._engine.call("recall", conversationId=self._conversation, tokenCap=LEFT_TOKENS)["text"]
        if left:
            texts.append(left)
        return [*system, {"role": "user", "content": "\n\n".join([HEADING, *texts])}, *tail]


def installed() -> Dict[str, str]:
    """What `lcm install hermes` wrote beside this file."""
    return json.loads((Path(__file__).parent / "installed.json").read_text(encoding="utf-8"))


def is_said(message: Dict[str, Any]) -> bool:
    return message.get("role") != "system" and not str(message.get("content") or "").startswith(HEADING)


def digest_of(message: Dict[str, Any]) -> str:
    said = [message.get(field) for field in ("role", "content", "tool_calls", "tool_call_id")]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:24]


def met_at(stored: List[str], digests: List[str]) -> int:
    """Where the new messages begin: behind the longest run that ends as what is stored ends.

    Where nothing ends so, because newer messages were taken back, the end of what is stored is left out one by one.
    """
    known = set(digests)
    for end in range(len(stored), 0, -1):
        if stored[end - 1] not in known:
            continue
        best, best_length = 0, 0
        for at in range(len(digests), 0, -1):
            length = 0
            while length < min(at, end) and digests[at - 1 - length] == stored[end - 1 - length]:
                length += 1
            if length > best_length:
                best, best_length = at, length
        if best_length > 0:
            return best
    return 0


def as_given(message: Dict[str, Any], external_id: str) -> Dict[str, Any]:
    """Only what is stored. Hermes keeps fields of its own on a message."""
    fields = ("role", "content", "tool_calls", "tool_call_id", "reasoning_content")
    return {"id": external_id, **{field: message[field] for field in fields if message.get(field) is not None}}


def first_kept(messages: List[Dict[str, Any]], tokens: int) -> int:
    """The first message that is kept: that of a person, if one stands among those that fit."""
    at, used = len(messages), 0
    while at > 0:
        used += len(json.dumps(messages[at - 1], default=str)) // 4
        if used > tokens and at < len(messages):
            break
        at -= 1
    for person in range(at, len(messages)):
        if messages[person].get("role") == "user" and is_said(messages[person]):
            return person
    # A result is not parted from its call.
    while 0 < at < len(messages) and messages[at].get("role") == "tool":
        at -= 1
    return at


def register(ctx: Any) -> None:
    ctx.register_context_engine(LcmInspectorEngine())
