/** Records of what the program did. The texts in them stand in the records of the window, too. */
export const bookkeeping: ReadonlySet<string> = new Set([
  ...(['metadata', 'forked', 'agent.switched', 'agent.message.appended', 'agent.turn.started'] as const),
  ...(['agent.turn.ended', 'context.clear', 'context.undo', 'context.undone'] as const),
  ...(['cron.add', 'cron.cursor', 'cron.delete', 'file_history.checkpoint', 'file_history.tracked'] as const),
  ...(['full_compaction.cancel', 'full_compaction.complete', 'goal.clear', 'goal.create', 'goal.update'] as const),
  ...(['interaction.request', 'interaction.resolved', 'interruptionReminder.recorded', 'llm.request'] as const),
  ...(['llm.tools_snapshot', 'mcp.tools_discovered', 'permission.record_approval_result'] as const),
  ...(['permission.set_mode', 'plan.revision', 'plan_mode.cancel', 'plan_mode.enter', 'plan_mode.exit'] as const),
  ...(['plugin.session_start', 'prompt.aborted', 'prompt.completed', 'prompt.steered', 'runtime.set_binding'] as const),
  ...(['subagent.cancelled', 'subagent.completed', 'subagent.failed', 'subagent.spawned', 'subagent.started'] as const),
  ...(['swarm_mode.enter', 'swarm_mode.exit', 'task.started', 'task.terminated', 'task.waitDelivered'] as const),
  ...(['token_counting.measured', 'token_counting.rebased', 'token_counting.truncated'] as const),
  ...(['token_counting.turn_recorded', 'tools.register_user_tool', 'tools.reset_active_tools'] as const),
  ...(['tools.set_active_tools', 'tools.unregister_user_tool', 'tools.update_store', 'tower_mode.enter'] as const),
  ...(['tower_mode.exit', 'turn.cancel', 'turn.ended', 'turn.prompt', 'turn.steer'] as const),
  ...(['turn.step.interrupted', 'turn.step.retrying'] as const),
])
