"""Drives the reference: a JSON command on each line of standard input, its answer on a line of standard output."""

import json
import logging
import os
import sys
import uuid

os.environ['OPENHANDS_SUPPRESS_BANNER'] = '1'
logging.disable(logging.CRITICAL)

from openhands.sdk import LLM, Agent, LocalConversation, Tool, register_tool
from openhands.sdk.context.condenser import LLMSummarizingCondenser
from openhands.sdk.conversation.state import ConversationState
from openhands.sdk.conversation.stuck_detector import StuckDetector
from openhands.sdk.event import LLMConvertibleEvent, MessageEvent
from openhands.sdk.event.types import ROOT_PARENT_ID
from openhands.sdk.llm import ImageContent, Message, TextContent
from openhands.sdk.security.confirmation_policy import AlwaysConfirm
from openhands.sdk.tool import Action, Observation, ToolDefinition, ToolExecutor
from openhands.sdk.workspace import LocalWorkspace


class EchoAction(Action):
    words: str


class EchoObservation(Observation):
    pass


class EchoExecutor(ToolExecutor):
    def __call__(self, action, conversation=None):
        if action.words == 'crash':
            raise ValueError('The tool crashed.')
        return EchoObservation.from_text('echo: ' + action.words)


class EchoTool(ToolDefinition):
    name = 'echo'

    @classmethod
    def create(cls, conv_state, **params):
        return [
            cls(
                description='Repeats words.',
                action_type=EchoAction,
                observation_type=EchoObservation,
                executor=EchoExecutor(),
            )
        ]


register_tool('echo', EchoTool)


def agent(base_url):
    def llm(usage_id):
        return LLM(
            model='openai/gpt-4o',
            base_url=base_url,
            api_key='k',
            num_retries=0,
            usage_id=usage_id,
            input_cost_per_token=1e-6,
            output_cost_per_token=2e-6,
        )

    return Agent(
        llm=llm('agent'),
        tools=[Tool(name='echo')],
        system_prompt='You are a test agent.',
        condenser=LLMSummarizingCondenser(llm=llm('condenser'), max_size=240, keep_first=2),
    )


def open_conversation(command):
    return LocalConversation(
        agent=agent(command['base_url']),
        workspace=command['workspace'],
        persistence_dir=command['conversations'],
        conversation_id=uuid.UUID(command['id']),
        visualizer=None,
    )


def send(conversation, step):
    content = [TextContent(text=step['text'])]
    if 'image' in step:
        content.append(ImageContent(image_urls=[step['image']]))
    conversation.send_message(Message(role='user', content=content))


def navigate(conversation, _step):
    """Moves HEAD before the last message of the user."""
    branch = conversation.state.active_branch()
    last = [each for each in branch if isinstance(each, MessageEvent) and each.source == 'user'][-1]
    parent = last.parent_id
    conversation.navigate_to(None if parent in (None, ROOT_PARENT_ID) else parent)


def run(conversation, _step):
    try:
        conversation.run()
    except Exception:  # noqa: BLE001 - a model's error is one of the kinds
        pass


def approve(conversation, step):
    if conversation.state.execution_status.value == 'waiting_for_confirmation':
        run(conversation, step)


STEPS = {
    'send': send,
    'run': run,
    'approve': approve,
    'reject': lambda conversation, step: conversation.reject_pending_actions(step['reason']),
    'confirm': lambda conversation, _: conversation.set_confirmation_policy(AlwaysConfirm()),
    'navigate': navigate,
    'condense': lambda conversation, _: conversation.condense(),
}


def turn(command):
    conversation = open_conversation(command)
    try:
        for step in command['steps']:
            STEPS[step['do']](conversation, step)
    finally:
        conversation.close()
    return {}


def text_of(content):
    return ''.join(getattr(each, 'text', '') for each in content)


def facts(command):
    directory = os.path.join(command['conversations'], uuid.UUID(command['id']).hex)
    workspace = LocalWorkspace(working_dir=command['workspace'])
    state = ConversationState.create(
        id=uuid.UUID(command['id']), agent=None, workspace=workspace, persistence_dir=directory
    )
    messages = LLMConvertibleEvent.events_to_messages(list(state.view.events))
    return {
        'events': [[type(each).__name__, each.id] for each in state.events],
        'view': [each.id for each in state.view.events],
        'messages': [
            {
                'role': each.role,
                'text': text_of(each.content),
                'calls': [[call.name, call.arguments] for call in each.tool_calls or []],
            }
            for each in messages
        ],
        'stuck': StuckDetector(state).is_stuck(),
        'status': state.execution_status.value,
        'head': state._resolve_active_leaf(),
        'accounts': {
            usage_id: {
                'cost': round(each.accumulated_cost, 9),
                'prompt': each.accumulated_token_usage.prompt_tokens,
                'completion': each.accumulated_token_usage.completion_tokens,
            }
            for usage_id, each in state.stats.usage_to_metrics.items()
        },
    }


def main():
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)  # what the library prints must not get between the answers
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = {'turn': turn, 'facts': facts}[command['op']](command)
        except Exception as error:  # noqa: BLE001 - the driver reports it
            answer = {'error': '%s: %s' % (type(error).__name__, error)}
        out.write(json.dumps(answer) + '\n')
        out.flush()


if __name__ == '__main__':
    main()
