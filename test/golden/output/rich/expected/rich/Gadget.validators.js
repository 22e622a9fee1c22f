// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

import { codePointLength as func1, isDate as func6, isInexact as func3, isLocalDateTime as func8, isUtcDate as func4, keepIssue } from 'jmapsmith/capability';
export const update = validate0;
const schema0 = {"$id":"update","type":"object","properties":{"title":{"type":"string","maxLength":200,"storable":true},"code":{"type":["string","null"],"maxLength":40,"storable":true},"kind":{"type":"string","enum":["small","large"]},"rank":{"type":"integer","minimum":-10,"maximum":10},"score":{"nearest":true,"allOf":[{"type":["number","null"]}]},"due":{"type":["string","null"],"utcDate":"any"},"starts":{"type":["string","null"],"maxLength":65535,"date":"any"},"local":{"type":["string","null"],"maxLength":65535,"localDateTime":true},"tags":{"type":"object","maxProperties":100,"noNumber":true,"propertyNames":{"type":"string","maxLength":50,"storable":true},"additionalProperties":{"type":"boolean","enum":[true]}},"meta":{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}},"additionalProperties":false}},"additionalProperties":false},"note":{"type":["string","null"],"maxLength":65535,"storable":true}},"additionalProperties":false},"home":{"type":"object","title":"Address","properties":{"street":{"type":"string","maxLength":100,"storable":true},"floor":{"type":["integer","null"],"minimum":-9007199254740991,"maximum":9007199254740991}},"additionalProperties":false},"list":{"type":"array","maxItems":50,"items":{"type":"string","maxLength":100,"storable":true}},"parentId":{"type":["string","null"],"pattern":"^[A-Za-z0-9_-]{1,255}$"},"links":{"type":"object","maxProperties":1000,"noNumber":true,"propertyNames":{"type":"string","maxLength":255,"storable":true,"pattern":"^[A-Za-z0-9_-]{1,255}$"},"additionalProperties":{"type":"boolean","enum":[true]}},"blobId":{"type":["string","null"],"maxLength":65535,"storable":true},"pin":{"type":["string","null"],"maxLength":64,"storable":true},"colour":{"type":"string","maxLength":20,"storable":true}},"additionalProperties":false};
const func0 = Object.prototype.hasOwnProperty;
const pattern0 = new RegExp("^[A-Za-z0-9_-]{1,255}$", "u");
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="update" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(func0.call(schema0.properties, key0))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.title !== undefined){
let data0 = data.title;
if(typeof data0 === "string"){
if(func1(data0) > 200){
const err1 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/maxLength",keyword:"maxLength",params:{limit: 200},message:"must NOT have more than 200 characters"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if(data0.includes("\u0000")){
const err2 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
else {
const err3 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.code !== undefined){
let data1 = data.code;
if((typeof data1 !== "string") && (data1 !== null)){
const err4 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/type",keyword:"type",params:{type: schema0.properties.code.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
if(typeof data1 === "string"){
if(func1(data1) > 40){
const err5 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/maxLength",keyword:"maxLength",params:{limit: 40},message:"must NOT have more than 40 characters"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if(data1.includes("\u0000")){
const err6 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
}
if(data.kind !== undefined){
let data2 = data.kind;
if(typeof data2 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
if(!((data2 === "small") || (data2 === "large"))){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema0.properties.kind.enum},message:"must be equal to one of the allowed values"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
if(data.rank !== undefined){
let data3 = data.rank;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
const err9 = {instancePath:instancePath+"/rank",schemaPath:"#/properties/rank/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 10 || isNaN(data3)){
const err10 = {instancePath:instancePath+"/rank",schemaPath:"#/properties/rank/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10},message:"must be <= 10"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
if(data3 < -10 || isNaN(data3)){
const err11 = {instancePath:instancePath+"/rank",schemaPath:"#/properties/rank/minimum",keyword:"minimum",params:{comparison: ">=", limit: -10},message:"must be >= -10"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
}
if(data.score !== undefined){
let data4 = data.score;
if(func3(data4) && isFinite(data4.value)){
data4 = data4.value;
data["score"] = data4;
}
if((!((typeof data4 == "number") && (isFinite(data4)))) && (data4 !== null)){
const err12 = {instancePath:instancePath+"/score",schemaPath:"#/properties/score/allOf/0/type",keyword:"type",params:{type: schema0.properties.score.allOf[0].type},message:"must be number,null"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
}
if(data.due !== undefined){
let data5 = data.due;
if((typeof data5 !== "string") && (data5 !== null)){
const err13 = {instancePath:instancePath+"/due",schemaPath:"#/properties/due/type",keyword:"type",params:{type: schema0.properties.due.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
if(typeof data5 === "string"){
if(!func4(data5)){
const err14 = {instancePath:instancePath+"/due",schemaPath:"#/properties/due/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
}
}
if(data.starts !== undefined){
let data6 = data.starts;
if((typeof data6 !== "string") && (data6 !== null)){
const err15 = {instancePath:instancePath+"/starts",schemaPath:"#/properties/starts/type",keyword:"type",params:{type: schema0.properties.starts.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
if(typeof data6 === "string"){
if(func1(data6) > 65535){
const err16 = {instancePath:instancePath+"/starts",schemaPath:"#/properties/starts/maxLength",keyword:"maxLength",params:{limit: 65535},message:"must NOT have more than 65535 characters"};
vErrors = keepIssue(vErrors, err16);
errors++;
}
if(!func6(data6)){
const err17 = {instancePath:instancePath+"/starts",schemaPath:"#/properties/starts/date",keyword:"date",params:{},message:"must be a Date, for instance 2026-01-31T14:00:00+02:00"};
vErrors = keepIssue(vErrors, err17);
errors++;
}
}
}
if(data.local !== undefined){
let data7 = data.local;
if((typeof data7 !== "string") && (data7 !== null)){
const err18 = {instancePath:instancePath+"/local",schemaPath:"#/properties/local/type",keyword:"type",params:{type: schema0.properties.local.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err18);
errors++;
}
if(typeof data7 === "string"){
if(func1(data7) > 65535){
const err19 = {instancePath:instancePath+"/local",schemaPath:"#/properties/local/maxLength",keyword:"maxLength",params:{limit: 65535},message:"must NOT have more than 65535 characters"};
vErrors = keepIssue(vErrors, err19);
errors++;
}
if(!func8(data7)){
const err20 = {instancePath:instancePath+"/local",schemaPath:"#/properties/local/localDateTime",keyword:"localDateTime",params:{},message:"must be a LocalDateTime, for instance 2026-01-31T14:00:00"};
vErrors = keepIssue(vErrors, err20);
errors++;
}
}
}
if(data.tags !== undefined){
let data8 = data.tags;
if(func3(data8)){
const err21 = {instancePath:instancePath+"/tags",schemaPath:"#/properties/tags/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err21);
errors++;
}
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
if(Object.keys(data8).length > 100){
const err22 = {instancePath:instancePath+"/tags",schemaPath:"#/properties/tags/maxProperties",keyword:"maxProperties",params:{limit: 100},message:"must NOT have more than 100 properties"};
vErrors = keepIssue(vErrors, err22);
errors++;
}
for(const key1 in data8){
const _errs21 = errors;
if(typeof key1 === "string"){
if(func1(key1) > 50){
const err23 = {instancePath:instancePath+"/tags",schemaPath:"#/properties/tags/propertyNames/maxLength",keyword:"maxLength",params:{limit: 50},message:"must NOT have more than 50 characters",propertyName:key1};
vErrors = keepIssue(vErrors, err23);
errors++;
}
if(key1.includes("\u0000")){
const err24 = {instancePath:instancePath+"/tags",schemaPath:"#/properties/tags/propertyNames/storable",keyword:"storable",params:{},message:"must not contain U+0000",propertyName:key1};
vErrors = keepIssue(vErrors, err24);
errors++;
}
}
else {
const err25 = {instancePath:instancePath+"/tags",schemaPath:"#/properties/tags/propertyNames/type",keyword:"type",params:{type: "string"},message:"must be string",propertyName:key1};
vErrors = keepIssue(vErrors, err25);
errors++;
}
var valid2 = _errs21 === errors;
if(!valid2){
const err26 = {instancePath:instancePath+"/tags",schemaPath:"#/properties/tags/propertyNames",keyword:"propertyNames",params:{propertyName: key1},message:"property name must be valid"};
vErrors = keepIssue(vErrors, err26);
errors++;
}
}
for(const key2 in data8){
let data9 = data8[key2];
if(typeof data9 !== "boolean"){
const err27 = {instancePath:instancePath+"/tags/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/tags/additionalProperties/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err27);
errors++;
}
if(!(data9 === true)){
const err28 = {instancePath:instancePath+"/tags/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/tags/additionalProperties/enum",keyword:"enum",params:{allowedValues: schema0.properties.tags.additionalProperties.enum},message:"must be equal to one of the allowed values"};
vErrors = keepIssue(vErrors, err28);
errors++;
}
}
}
else {
const err29 = {instancePath:instancePath+"/tags",schemaPath:"#/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err29);
errors++;
}
}
if(data.meta !== undefined){
let data10 = data.meta;
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
for(const key3 in data10){
if(!((key3 === "a") || (key3 === "note"))){
const err30 = {instancePath:instancePath+"/meta",schemaPath:"#/properties/meta/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err30);
errors++;
}
}
if(data10.a !== undefined){
let data11 = data10.a;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
for(const key4 in data11){
if(!(key4 === "b")){
const err31 = {instancePath:instancePath+"/meta/a",schemaPath:"#/properties/meta/properties/a/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err31);
errors++;
}
}
if(data11.b !== undefined){
let data12 = data11.b;
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
for(const key5 in data12){
if(!(key5 === "c")){
const err32 = {instancePath:instancePath+"/meta/a/b",schemaPath:"#/properties/meta/properties/a/properties/b/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err32);
errors++;
}
}
if(data12.c !== undefined){
let data13 = data12.c;
if(!(((typeof data13 == "number") && (!(data13 % 1) && !isNaN(data13))) && (isFinite(data13)))){
const err33 = {instancePath:instancePath+"/meta/a/b/c",schemaPath:"#/properties/meta/properties/a/properties/b/properties/c/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err33);
errors++;
}
if((typeof data13 == "number") && (isFinite(data13))){
if(data13 > 9007199254740991 || isNaN(data13)){
const err34 = {instancePath:instancePath+"/meta/a/b/c",schemaPath:"#/properties/meta/properties/a/properties/b/properties/c/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err34);
errors++;
}
if(data13 < -9007199254740991 || isNaN(data13)){
const err35 = {instancePath:instancePath+"/meta/a/b/c",schemaPath:"#/properties/meta/properties/a/properties/b/properties/c/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err35);
errors++;
}
}
}
}
else {
const err36 = {instancePath:instancePath+"/meta/a/b",schemaPath:"#/properties/meta/properties/a/properties/b/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err36);
errors++;
}
}
}
else {
const err37 = {instancePath:instancePath+"/meta/a",schemaPath:"#/properties/meta/properties/a/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err37);
errors++;
}
}
if(data10.note !== undefined){
let data14 = data10.note;
if((typeof data14 !== "string") && (data14 !== null)){
const err38 = {instancePath:instancePath+"/meta/note",schemaPath:"#/properties/meta/properties/note/type",keyword:"type",params:{type: schema0.properties.meta.properties.note.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err38);
errors++;
}
if(typeof data14 === "string"){
if(func1(data14) > 65535){
const err39 = {instancePath:instancePath+"/meta/note",schemaPath:"#/properties/meta/properties/note/maxLength",keyword:"maxLength",params:{limit: 65535},message:"must NOT have more than 65535 characters"};
vErrors = keepIssue(vErrors, err39);
errors++;
}
if(data14.includes("\u0000")){
const err40 = {instancePath:instancePath+"/meta/note",schemaPath:"#/properties/meta/properties/note/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err40);
errors++;
}
}
}
}
else {
const err41 = {instancePath:instancePath+"/meta",schemaPath:"#/properties/meta/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err41);
errors++;
}
}
if(data.home !== undefined){
let data15 = data.home;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
for(const key6 in data15){
if(!((key6 === "street") || (key6 === "floor"))){
const err42 = {instancePath:instancePath+"/home",schemaPath:"#/properties/home/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err42);
errors++;
}
}
if(data15.street !== undefined){
let data16 = data15.street;
if(typeof data16 === "string"){
if(func1(data16) > 100){
const err43 = {instancePath:instancePath+"/home/street",schemaPath:"#/properties/home/properties/street/maxLength",keyword:"maxLength",params:{limit: 100},message:"must NOT have more than 100 characters"};
vErrors = keepIssue(vErrors, err43);
errors++;
}
if(data16.includes("\u0000")){
const err44 = {instancePath:instancePath+"/home/street",schemaPath:"#/properties/home/properties/street/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err44);
errors++;
}
}
else {
const err45 = {instancePath:instancePath+"/home/street",schemaPath:"#/properties/home/properties/street/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err45);
errors++;
}
}
if(data15.floor !== undefined){
let data17 = data15.floor;
if((!(((typeof data17 == "number") && (!(data17 % 1) && !isNaN(data17))) && (isFinite(data17)))) && (data17 !== null)){
const err46 = {instancePath:instancePath+"/home/floor",schemaPath:"#/properties/home/properties/floor/type",keyword:"type",params:{type: schema0.properties.home.properties.floor.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err46);
errors++;
}
if((typeof data17 == "number") && (isFinite(data17))){
if(data17 > 9007199254740991 || isNaN(data17)){
const err47 = {instancePath:instancePath+"/home/floor",schemaPath:"#/properties/home/properties/floor/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err47);
errors++;
}
if(data17 < -9007199254740991 || isNaN(data17)){
const err48 = {instancePath:instancePath+"/home/floor",schemaPath:"#/properties/home/properties/floor/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err48);
errors++;
}
}
}
}
else {
const err49 = {instancePath:instancePath+"/home",schemaPath:"#/properties/home/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err49);
errors++;
}
}
if(data.list !== undefined){
let data18 = data.list;
if(Array.isArray(data18)){
if(data18.length > 50){
const err50 = {instancePath:instancePath+"/list",schemaPath:"#/properties/list/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
vErrors = keepIssue(vErrors, err50);
errors++;
}
const len0 = data18.length;
for(let i0=0; i0<len0; i0++){
let data19 = data18[i0];
if(typeof data19 === "string"){
if(func1(data19) > 100){
const err51 = {instancePath:instancePath+"/list/" + i0,schemaPath:"#/properties/list/items/maxLength",keyword:"maxLength",params:{limit: 100},message:"must NOT have more than 100 characters"};
vErrors = keepIssue(vErrors, err51);
errors++;
}
if(data19.includes("\u0000")){
const err52 = {instancePath:instancePath+"/list/" + i0,schemaPath:"#/properties/list/items/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err52);
errors++;
}
}
else {
const err53 = {instancePath:instancePath+"/list/" + i0,schemaPath:"#/properties/list/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err53);
errors++;
}
}
}
else {
const err54 = {instancePath:instancePath+"/list",schemaPath:"#/properties/list/type",keyword:"type",params:{type: "array"},message:"must be array"};
vErrors = keepIssue(vErrors, err54);
errors++;
}
}
if(data.parentId !== undefined){
let data20 = data.parentId;
if((typeof data20 !== "string") && (data20 !== null)){
const err55 = {instancePath:instancePath+"/parentId",schemaPath:"#/properties/parentId/type",keyword:"type",params:{type: schema0.properties.parentId.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err55);
errors++;
}
if(typeof data20 === "string"){
if(!pattern0.test(data20)){
const err56 = {instancePath:instancePath+"/parentId",schemaPath:"#/properties/parentId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\""};
vErrors = keepIssue(vErrors, err56);
errors++;
}
}
}
if(data.links !== undefined){
let data21 = data.links;
if(func3(data21)){
const err57 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err57);
errors++;
}
if(data21 && typeof data21 == "object" && !Array.isArray(data21)){
if(Object.keys(data21).length > 1000){
const err58 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/maxProperties",keyword:"maxProperties",params:{limit: 1000},message:"must NOT have more than 1000 properties"};
vErrors = keepIssue(vErrors, err58);
errors++;
}
for(const key7 in data21){
const _errs54 = errors;
if(typeof key7 === "string"){
if(func1(key7) > 255){
const err59 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/propertyNames/maxLength",keyword:"maxLength",params:{limit: 255},message:"must NOT have more than 255 characters",propertyName:key7};
vErrors = keepIssue(vErrors, err59);
errors++;
}
if(!pattern0.test(key7)){
const err60 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\"",propertyName:key7};
vErrors = keepIssue(vErrors, err60);
errors++;
}
if(key7.includes("\u0000")){
const err61 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/propertyNames/storable",keyword:"storable",params:{},message:"must not contain U+0000",propertyName:key7};
vErrors = keepIssue(vErrors, err61);
errors++;
}
}
else {
const err62 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/propertyNames/type",keyword:"type",params:{type: "string"},message:"must be string",propertyName:key7};
vErrors = keepIssue(vErrors, err62);
errors++;
}
var valid10 = _errs54 === errors;
if(!valid10){
const err63 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/propertyNames",keyword:"propertyNames",params:{propertyName: key7},message:"property name must be valid"};
vErrors = keepIssue(vErrors, err63);
errors++;
}
}
for(const key8 in data21){
let data22 = data21[key8];
if(typeof data22 !== "boolean"){
const err64 = {instancePath:instancePath+"/links/" + key8.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/links/additionalProperties/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err64);
errors++;
}
if(!(data22 === true)){
const err65 = {instancePath:instancePath+"/links/" + key8.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/links/additionalProperties/enum",keyword:"enum",params:{allowedValues: schema0.properties.links.additionalProperties.enum},message:"must be equal to one of the allowed values"};
vErrors = keepIssue(vErrors, err65);
errors++;
}
}
}
else {
const err66 = {instancePath:instancePath+"/links",schemaPath:"#/properties/links/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err66);
errors++;
}
}
if(data.blobId !== undefined){
let data23 = data.blobId;
if((typeof data23 !== "string") && (data23 !== null)){
const err67 = {instancePath:instancePath+"/blobId",schemaPath:"#/properties/blobId/type",keyword:"type",params:{type: schema0.properties.blobId.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err67);
errors++;
}
if(typeof data23 === "string"){
if(func1(data23) > 65535){
const err68 = {instancePath:instancePath+"/blobId",schemaPath:"#/properties/blobId/maxLength",keyword:"maxLength",params:{limit: 65535},message:"must NOT have more than 65535 characters"};
vErrors = keepIssue(vErrors, err68);
errors++;
}
if(data23.includes("\u0000")){
const err69 = {instancePath:instancePath+"/blobId",schemaPath:"#/properties/blobId/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err69);
errors++;
}
}
}
if(data.pin !== undefined){
let data24 = data.pin;
if((typeof data24 !== "string") && (data24 !== null)){
const err70 = {instancePath:instancePath+"/pin",schemaPath:"#/properties/pin/type",keyword:"type",params:{type: schema0.properties.pin.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err70);
errors++;
}
if(typeof data24 === "string"){
if(func1(data24) > 64){
const err71 = {instancePath:instancePath+"/pin",schemaPath:"#/properties/pin/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
vErrors = keepIssue(vErrors, err71);
errors++;
}
if(data24.includes("\u0000")){
const err72 = {instancePath:instancePath+"/pin",schemaPath:"#/properties/pin/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err72);
errors++;
}
}
}
if(data.colour !== undefined){
let data25 = data.colour;
if(typeof data25 === "string"){
if(func1(data25) > 20){
const err73 = {instancePath:instancePath+"/colour",schemaPath:"#/properties/colour/maxLength",keyword:"maxLength",params:{limit: 20},message:"must NOT have more than 20 characters"};
vErrors = keepIssue(vErrors, err73);
errors++;
}
if(data25.includes("\u0000")){
const err74 = {instancePath:instancePath+"/colour",schemaPath:"#/properties/colour/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err74);
errors++;
}
}
else {
const err75 = {instancePath:instancePath+"/colour",schemaPath:"#/properties/colour/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err75);
errors++;
}
}
}
else {
const err76 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err76);
errors++;
}
validate0.errors = vErrors;
return errors === 0;
}
export const create = validate1;
const schema1 = {"$id":"create","$ref":"update","required":["title"]};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="create" */;
let vErrors = null;
let errors = 0;
if(!(validate0(data, {instancePath,parentData,parentDataProperty,rootData}))){
vErrors = vErrors === null ? validate0.errors : vErrors.concat(validate0.errors);
errors = vErrors.length;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.title === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "title"},message:"must have required property '"+"title"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
validate1.errors = vErrors;
return errors === 0;
}
export const filter = validate3;
const schema2 = {"$id":"filter","type":"object","properties":{"title":{"type":["string","null"]},"kind":{"type":["array","null"],"items":{"type":"string"}},"minRank":{"type":["integer","null"],"minimum":-9007199254740991,"maximum":9007199254740991},"dueBefore":{"type":["string","null"],"utcDate":"any"},"startsAfter":{"type":["string","null"],"date":"any"},"hasTag":{"type":["string","null"]},"listed":{"type":["string","null"]},"text":{"type":["string","null"]},"parentId":{"type":["string","null"]}},"additionalProperties":false};
function validate3(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="filter" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(func0.call(schema2.properties, key0))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.title !== undefined){
let data0 = data.title;
if((typeof data0 !== "string") && (data0 !== null)){
const err1 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/type",keyword:"type",params:{type: schema2.properties.title.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if((!(Array.isArray(data1))) && (data1 !== null)){
const err2 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: schema2.properties.kind.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
if(Array.isArray(data1)){
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
if(typeof data1[i0] !== "string"){
const err3 = {instancePath:instancePath+"/kind/" + i0,schemaPath:"#/properties/kind/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
}
}
if(data.minRank !== undefined){
let data3 = data.minRank;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (data3 !== null)){
const err4 = {instancePath:instancePath+"/minRank",schemaPath:"#/properties/minRank/type",keyword:"type",params:{type: schema2.properties.minRank.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 9007199254740991 || isNaN(data3)){
const err5 = {instancePath:instancePath+"/minRank",schemaPath:"#/properties/minRank/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if(data3 < -9007199254740991 || isNaN(data3)){
const err6 = {instancePath:instancePath+"/minRank",schemaPath:"#/properties/minRank/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
}
if(data.dueBefore !== undefined){
let data4 = data.dueBefore;
if((typeof data4 !== "string") && (data4 !== null)){
const err7 = {instancePath:instancePath+"/dueBefore",schemaPath:"#/properties/dueBefore/type",keyword:"type",params:{type: schema2.properties.dueBefore.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
if(typeof data4 === "string"){
if(!func4(data4)){
const err8 = {instancePath:instancePath+"/dueBefore",schemaPath:"#/properties/dueBefore/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
}
if(data.startsAfter !== undefined){
let data5 = data.startsAfter;
if((typeof data5 !== "string") && (data5 !== null)){
const err9 = {instancePath:instancePath+"/startsAfter",schemaPath:"#/properties/startsAfter/type",keyword:"type",params:{type: schema2.properties.startsAfter.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
if(typeof data5 === "string"){
if(!func6(data5)){
const err10 = {instancePath:instancePath+"/startsAfter",schemaPath:"#/properties/startsAfter/date",keyword:"date",params:{},message:"must be a Date, for instance 2026-01-31T14:00:00+02:00"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
}
if(data.hasTag !== undefined){
let data6 = data.hasTag;
if((typeof data6 !== "string") && (data6 !== null)){
const err11 = {instancePath:instancePath+"/hasTag",schemaPath:"#/properties/hasTag/type",keyword:"type",params:{type: schema2.properties.hasTag.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
if(data.listed !== undefined){
let data7 = data.listed;
if((typeof data7 !== "string") && (data7 !== null)){
const err12 = {instancePath:instancePath+"/listed",schemaPath:"#/properties/listed/type",keyword:"type",params:{type: schema2.properties.listed.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
}
if(data.text !== undefined){
let data8 = data.text;
if((typeof data8 !== "string") && (data8 !== null)){
const err13 = {instancePath:instancePath+"/text",schemaPath:"#/properties/text/type",keyword:"type",params:{type: schema2.properties.text.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
}
if(data.parentId !== undefined){
let data9 = data.parentId;
if((typeof data9 !== "string") && (data9 !== null)){
const err14 = {instancePath:instancePath+"/parentId",schemaPath:"#/properties/parentId/type",keyword:"type",params:{type: schema2.properties.parentId.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
}
}
else {
const err15 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
validate3.errors = vErrors;
return errors === 0;
}
export const server = validate4;
const schema3 = {"$id":"server","type":"object","properties":{"cost":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}},"additionalProperties":false};
function validate4(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="server" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(key0 === "cost")){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.cost !== undefined){
let data0 = data.cost;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
const err1 = {instancePath:instancePath+"/cost",schemaPath:"#/properties/cost/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 > 9007199254740991 || isNaN(data0)){
const err2 = {instancePath:instancePath+"/cost",schemaPath:"#/properties/cost/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
if(data0 < -9007199254740991 || isNaN(data0)){
const err3 = {instancePath:instancePath+"/cost",schemaPath:"#/properties/cost/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
}
}
else {
const err4 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
validate4.errors = vErrors;
return errors === 0;
}
export const queryArguments = validate5;
const schema4 = {"$id":"queryArguments","type":"object","required":["accountId"],"properties":{"accountId":{"type":"string"},"filter":{"type":["object","null"],"noNumber":true},"sort":{"type":["array","null"],"items":{"type":"object","required":["property"],"properties":{"property":{"type":"string"},"isAscending":{"type":"boolean"},"collation":{"type":"string"}},"noNumber":true}},"position":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"anchor":{"type":["string","null"]},"anchorOffset":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"limit":{"type":["integer","null"],"minimum":0,"maximum":9007199254740991},"calculateTotal":{"type":"boolean"},"collapse":{"type":"boolean"}},"additionalProperties":false};
function validate5(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="queryArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
for(const key0 in data){
if(!(func0.call(schema4.properties, key0))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err2 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.filter !== undefined){
let data1 = data.filter;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err3 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/type",keyword:"type",params:{type: schema4.properties.filter.type},message:"must be object,null"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
if(func3(data1)){
const err4 = {instancePath:instancePath+"/filter",schemaPath:"#/properties/filter/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.sort !== undefined){
let data2 = data.sort;
if((!(Array.isArray(data2))) && (data2 !== null)){
const err5 = {instancePath:instancePath+"/sort",schemaPath:"#/properties/sort/type",keyword:"type",params:{type: schema4.properties.sort.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if(Array.isArray(data2)){
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
if(func3(data3)){
const err6 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.property === undefined){
const err7 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/required",keyword:"required",params:{missingProperty: "property"},message:"must have required property '"+"property"+"'"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
if(data3.property !== undefined){
if(typeof data3.property !== "string"){
const err8 = {instancePath:instancePath+"/sort/" + i0+"/property",schemaPath:"#/properties/sort/items/properties/property/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
if(data3.isAscending !== undefined){
if(typeof data3.isAscending !== "boolean"){
const err9 = {instancePath:instancePath+"/sort/" + i0+"/isAscending",schemaPath:"#/properties/sort/items/properties/isAscending/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
}
if(data3.collation !== undefined){
if(typeof data3.collation !== "string"){
const err10 = {instancePath:instancePath+"/sort/" + i0+"/collation",schemaPath:"#/properties/sort/items/properties/collation/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
}
else {
const err11 = {instancePath:instancePath+"/sort/" + i0,schemaPath:"#/properties/sort/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
}
}
if(data.position !== undefined){
let data7 = data.position;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
const err12 = {instancePath:instancePath+"/position",schemaPath:"#/properties/position/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 > 9007199254740991 || isNaN(data7)){
const err13 = {instancePath:instancePath+"/position",schemaPath:"#/properties/position/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
if(data7 < -9007199254740991 || isNaN(data7)){
const err14 = {instancePath:instancePath+"/position",schemaPath:"#/properties/position/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
}
}
if(data.anchor !== undefined){
let data8 = data.anchor;
if((typeof data8 !== "string") && (data8 !== null)){
const err15 = {instancePath:instancePath+"/anchor",schemaPath:"#/properties/anchor/type",keyword:"type",params:{type: schema4.properties.anchor.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
}
if(data.anchorOffset !== undefined){
let data9 = data.anchorOffset;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
const err16 = {instancePath:instancePath+"/anchorOffset",schemaPath:"#/properties/anchorOffset/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err16);
errors++;
}
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 9007199254740991 || isNaN(data9)){
const err17 = {instancePath:instancePath+"/anchorOffset",schemaPath:"#/properties/anchorOffset/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err17);
errors++;
}
if(data9 < -9007199254740991 || isNaN(data9)){
const err18 = {instancePath:instancePath+"/anchorOffset",schemaPath:"#/properties/anchorOffset/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err18);
errors++;
}
}
}
if(data.limit !== undefined){
let data10 = data.limit;
if((!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))) && (data10 !== null)){
const err19 = {instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: schema4.properties.limit.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err19);
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 9007199254740991 || isNaN(data10)){
const err20 = {instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err20);
errors++;
}
if(data10 < 0 || isNaN(data10)){
const err21 = {instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
vErrors = keepIssue(vErrors, err21);
errors++;
}
}
}
if(data.calculateTotal !== undefined){
if(typeof data.calculateTotal !== "boolean"){
const err22 = {instancePath:instancePath+"/calculateTotal",schemaPath:"#/properties/calculateTotal/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err22);
errors++;
}
}
if(data.collapse !== undefined){
if(typeof data.collapse !== "boolean"){
const err23 = {instancePath:instancePath+"/collapse",schemaPath:"#/properties/collapse/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err23);
errors++;
}
}
}
else {
const err24 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err24);
errors++;
}
validate5.errors = vErrors;
return errors === 0;
}
export const queryResponse = validate6;
const schema5 = {"$id":"queryResponse","type":"object","required":["collapsed"],"properties":{"collapsed":{"type":"integer"}},"additionalProperties":false};
function validate6(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="queryResponse" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.collapsed === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "collapsed"},message:"must have required property '"+"collapsed"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
for(const key0 in data){
if(!(key0 === "collapsed")){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.collapsed !== undefined){
let data0 = data.collapsed;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
const err2 = {instancePath:instancePath+"/collapsed",schemaPath:"#/properties/collapsed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
}
else {
const err3 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
validate6.errors = vErrors;
return errors === 0;
}
