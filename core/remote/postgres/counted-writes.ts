import { PINNED } from './later-versions.ts'
import { STORED_TABLES } from './tables.ts'

/** What a transaction of this program sets, which counts its writes itself: once, however many rows it writes. */
export const COUNTS_ITSELF = 'lcm.counts_writes'
const IS_OTHER = `coalesce(current_setting('${COUNTS_ITSELF}', true), '') <> 'on'`

/**
 * Version 6: writes by statements of others are counted, too, so that copies of the conversation are brought up to date.
 * A transaction counts once, or again when it has written to another conversation meanwhile.
 */
export const SCHEMA_V6 = /* sql */ `
CREATE FUNCTION lcm.count_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${PINNED} AS $$
DECLARE
  written record := CASE TG_OP WHEN 'DELETE' THEN old ELSE new END;
  key text := written.conversation_id || ' ' || written.tenant_id;
  tenant text := current_setting('lcm.tenant', true);
BEGIN
  IF current_setting('lcm.counted', true) = key THEN RETURN NULL; END IF;
  PERFORM set_config('lcm.tenant', written.tenant_id, true);
  UPDATE lcm.conversations SET changes = changes + 1
  WHERE tenant_id = written.tenant_id AND conversation_id = written.conversation_id;
  PERFORM set_config('lcm.tenant', coalesce(tenant, ''), true), set_config('lcm.counted', key, true);
  RETURN NULL;
END $$;
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['${STORED_TABLES.map(({ name }) => name).join("', '")}'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_written AFTER INSERT OR UPDATE OR DELETE ON lcm.%1$I FOR EACH ROW
      WHEN (${IS_OTHER.replaceAll("'", "''")}) EXECUTE FUNCTION lcm.count_write()', name);
  END LOOP;
END $$;

CREATE FUNCTION lcm.count_head() RETURNS trigger LANGUAGE plpgsql ${PINNED} AS $$
BEGIN
  IF new IS DISTINCT FROM old AND new.appends = old.appends AND new.changes = old.changes THEN
    new.changes := old.changes + 1;
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER conversations_written BEFORE UPDATE ON lcm.conversations FOR EACH ROW
  WHEN (${IS_OTHER}) EXECUTE FUNCTION lcm.count_head();
`
