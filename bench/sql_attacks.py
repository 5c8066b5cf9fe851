"""What a query must never get away with: refused ones, and honest-looking ones that would run for days."""

from __future__ import annotations

REFUSED = """
insert into users select * from users
update users set tier_id = 'premium'
delete from requests
drop table requests
create table x as select * from requests
alter table users add column x text
replace into tiers values (1)
truncate requests
vacuum
reindex
analyze
begin; delete from requests; commit
attach database '/tmp/x.db' as x
detach database main
pragma query_only = off
pragma table_info(requests)
explain select * from requests
explain query plan select * from requests
copy requests to '/tmp/x'
copy (select 1) to program 'id'
do $$ begin perform 1; end $$
set role postgres
grant all on requests to public
call x()
lock table requests
listen x
prepare p as select 1
values (1)
table requests
select 1; drop table requests
select 1; select 2
; delete from users
/* x */ delete from users
-- x
select * from requests into x
select * into x from requests
select * into temp x from requests
select * from requests for update
select * from requests for share
with x as (delete from requests returning *) select * from x
with x as (insert into tiers select * from tiers returning *) select * from x
with x as (update users set id = id returning id) select * from x
with x as (select 1) delete from users
with x as (select 1) insert into tiers select * from tiers
with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c
with c(x) as (select 1 union all select x + 1 from c) select count(*) from c
with requests(x) as (select 1 union all select x + 1 from requests) select count(*) from requests
with a as (select 1 as x) select * from (with a as (select 1 as x union all select x + 1 from a) select * from a) as t
with a as (select * from b), b as (select * from a) select * from a
select * from sqlite_master
select * from sqlite_schema
select * from sqlite_temp_master
select * from "sqlite_master"
select * from [sqlite_master]
select * from `sqlite_master`
select * from main.sqlite_master
select * from temp.requests
select * from main.requests
select main.requests.id from requests
select * from public.requests
select * from pg_catalog.pg_tables
select * from pg_user
select * from pg_shadow
select * from pg_stat_activity
select * from information_schema.tables
select * from secrets
select * from Secrets
select * from "secrets"
select id from users union select value from secrets
select id from users union all select name from sqlite_master
select (select value from secrets)
select id from users where exists (select 1 from secrets)
select id from users where id in (select value from secrets)
select id from users order by (select value from secrets)
select count(*) over (order by (select value from secrets)) from users
with sqlite_master as (select 1 as x) select * from (with y as (select 1 as x) select * from y) as t, secrets
select * from (with sqlite_master as (select 1 as x) select * from sqlite_master) as t, sqlite_master
select * from users natural join secrets
select * from users left join secrets using (id)
select * from pragma_table_info('requests')
select * from pragma_database_list
select * from dbstat
select * from sqlite_stmt
select * from json_each('[1]')
select * from json_tree('{}')
select * from generate_series(1, 1000000000)
select generate_series(1, 1000000000)
select unnest(array[1, 2])
select * from unnest(array[1, 2]) as x
select * from dblink('host=evil', 'select 1') as t(x int)
select * from pg_ls_dir('/')
select * from requests tablesample system (1)
select * from requests indexed by ix_requests_window
select * from only requests
select * from lateral (select 1) as x
select * from requests cross join lateral (select 1) as x
select load_extension('/tmp/x.so')
select readfile('/etc/passwd')
select writefile('/tmp/x', 'x')
select edit('x')
select fts3_tokenizer('x')
select randomblob(1000000000)
select zeroblob(1000000000)
select hex(zeroblob(100000000))
select printf('%1000000000d', 1)
select printf('%.*c', 1000000000, 'x')
select format('%1000000000s', 'x')
select printf(id) from users
select replace(id, 'a', 'aaaaaaaaaa') from users
select replace('a', 'a', id) from users
select repeat('x', 1000000000)
select lpad('x', 1000000000)
select rpad('x', 1000000000)
select cast('x' as char(1000000000))
select char(88, 88)
select quote(id) from users
select last_insert_rowid()
select changes()
select sqlite_version()
select sqlite_compileoption_get(1)
select random()
select likelihood(1, 0.5)
select unicode('x')
select pg_sleep(100)
select pg_sleep_for('1 hour')
select pg_read_file('/etc/passwd')
select pg_read_binary_file('/etc/passwd')
select pg_ls_dir('/')
select pg_terminate_backend(1)
select pg_advisory_lock(1)
select pg_reload_conf()
select pg_notify('x', 'y')
select lo_import('/etc/passwd')
select lo_export(1, '/tmp/x')
select lo_get(1)
select dblink_connect('host=evil')
select current_setting('data_directory')
select set_config('statement_timeout', '0', false)
select query_to_xml('select 1', true, true, '')
select xpath('/', '<a/>'::xml)
select database_to_xml(true, true, '')
select table_to_xml('secrets', true, true, '')
select cursor_to_xml('x', 1, true, true, '')
select nextval('x')
select setval('x', 1)
select txid_current()
select version()
select current_user
select session_user
select user()
select current_database()
select inet_server_addr()
select has_table_privilege('secrets', 'select')
select 'secrets'::regclass
select to_regclass('secrets')
select cast('secrets' as regclass)
select cast(1 as blob)
select row(1, 2)
select array(select id from requests)
select array[id, id] from users
select array_agg(id) from requests
select (users).id from users
select users.id.x from users
select (select users).tier_id from users
select xmin from users
select ctid from users
select tableoid from users
select rowid from users
select _rowid_ from users
select oid from users
select id operator(pg_catalog.=) 'x' from users
select id ~ '(a+)+$' from users
select id similar to '(a|a)*' from users
select id regexp '(a+)+' from users
select id match 'x' from users
select regexp_replace(id, 'a', 'b') from users
select x'414243'
select e'\\x41'
select U&'\\0041'
select $$x$$
select $1
select ?
select :x
select @x
select @@version
select id from users limit (select 1)
select id from users limit -1
select id from users limit all
select id from users limit null
select id from users limit 1e9
select id from users limit 5 offset (select 1)
select id from users fetch first 5 rows only
select raise(abort, 'x')
select * from users where id = any (select value from secrets)
select utl_http.request('http://evil') from dual
select xp_cmdshell('id')
exec xp_cmdshell 'id'
waitfor delay '0:0:5'
select benchmark(100000000, md5('x'))
select sleep(10)
select * from users procedure analyse()
select * from users into outfile '/tmp/x'
select load_file('/etc/passwd')
handler users open
""".strip().splitlines()

SLOW = (
    "select count(*) from requests a, requests b, requests c, requests d",
    "select a.id from requests a, requests b, requests c order by a.cost_usd * b.cost_usd * c.cost_usd limit 1",
    "select count(*) from (select distinct a.id, b.id as x, c.id as y from requests a, requests b, requests c) t",
    "select max(x) from (select rank() over (order by a.id, b.id) as x from requests a, requests b, requests c) t",
    "select count(*) from requests a where a.cost_usd > (select avg(b.cost_usd + a.cost_usd * c.cost_usd)"
    " from requests b, requests c)",
    "with a as (select id from requests), b as (select x.id from a x, a y, a z) select count(*) from b x, b y",
)
"""Refused by nothing but the clock, or the memory a query may have."""
