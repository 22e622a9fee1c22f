// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import { codePointLength as func1, isCanonicalUtcDate as func9, isInexact as func4, isUtcDate as func6, keepIssue, settleJson as func17 } from 'jmapsmith/capability';
export const update = validate0;
const schema0 = {"$id":"update","type":"object","properties":{"title":{"type":"string","maxLength":200,"minLength":1,"storable":true},"code":{"type":["string","null"],"maxLength":40,"pattern":"^[A-Z]{2}-\\d+$","storable":true},"kind":{"type":"string","enum":["small","large","it's"]},"rank":{"type":"integer","minimum":-10,"maximum":10},"level":{"type":["integer","null"],"enum":[1,2,3,null],"minimum":-9007199254740991,"maximum":9007199254740991},"score":{"nearest":true,"allOf":[{"type":["number","null"],"minimum":0}]},"ratio":{"nearest":true,"allOf":[{"type":"number"}]},"due":{"type":["string","null"],"utcDate":"any"},"start":{"type":"string","utcDate":"any"},"done":{"type":"boolean"},"meta":{"type":"object","required":["note"],"properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}},"additionalProperties":false}},"additionalProperties":false},"note":{"type":["string","null"],"maxLength":65535,"storable":true},"at":{"type":"string","utcDate":"canonical"}},"additionalProperties":false},"list":{"type":"array","maxItems":50,"uniqueItems":true,"items":{"type":"string","maxLength":100,"storable":true}},"points":{"type":"array","maxItems":1000,"items":{"nearest":true,"allOf":[{"type":"number"}]}},"names":{"type":"object","maxProperties":1000,"noNumber":true,"propertyNames":{"type":"string","maxLength":255,"storable":true},"additionalProperties":{"type":"string","maxLength":65535,"storable":true}},"extra":{"type":["object","null"],"maxProperties":1000,"noNumber":true,"propertyNames":{"type":"string","maxLength":255,"storable":true},"additionalProperties":{"anyJson":true}},"blobId":{"type":["string","null"],"maxLength":65535,"storable":true}},"additionalProperties":false};
const func0 = Object.prototype.hasOwnProperty;
const pattern0 = new RegExp("^[A-Z]{2}-\\d+$", "u");
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
if(func1(data0) < 1){
const err2 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
if(data0.includes("\u0000")){
const err3 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.code !== undefined){
let data1 = data.code;
if((typeof data1 !== "string") && (data1 !== null)){
const err5 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/type",keyword:"type",params:{type: schema0.properties.code.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
if(typeof data1 === "string"){
if(func1(data1) > 40){
const err6 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/maxLength",keyword:"maxLength",params:{limit: 40},message:"must NOT have more than 40 characters"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
if(!pattern0.test(data1)){
const err7 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/pattern",keyword:"pattern",params:{pattern: "^[A-Z]{2}-\\d+$"},message:"must match pattern \""+"^[A-Z]{2}-\\d+$"+"\""};
vErrors = keepIssue(vErrors, err7);
errors++;
}
if(data1.includes("\u0000")){
const err8 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
}
if(data.kind !== undefined){
let data2 = data.kind;
if(typeof data2 !== "string"){
const err9 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
if(!(((data2 === "small") || (data2 === "large")) || (data2 === "it's"))){
const err10 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema0.properties.kind.enum},message:"must be equal to one of the allowed values"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
if(data.rank !== undefined){
let data3 = data.rank;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
const err11 = {instancePath:instancePath+"/rank",schemaPath:"#/properties/rank/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 10 || isNaN(data3)){
const err12 = {instancePath:instancePath+"/rank",schemaPath:"#/properties/rank/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10},message:"must be <= 10"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
if(data3 < -10 || isNaN(data3)){
const err13 = {instancePath:instancePath+"/rank",schemaPath:"#/properties/rank/minimum",keyword:"minimum",params:{comparison: ">=", limit: -10},message:"must be >= -10"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
}
}
if(data.level !== undefined){
let data4 = data.level;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (data4 !== null)){
const err14 = {instancePath:instancePath+"/level",schemaPath:"#/properties/level/type",keyword:"type",params:{type: schema0.properties.level.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
if(!((((data4 === 1) || (data4 === 2)) || (data4 === 3)) || (data4 === null))){
const err15 = {instancePath:instancePath+"/level",schemaPath:"#/properties/level/enum",keyword:"enum",params:{allowedValues: schema0.properties.level.enum},message:"must be equal to one of the allowed values"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 9007199254740991 || isNaN(data4)){
const err16 = {instancePath:instancePath+"/level",schemaPath:"#/properties/level/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err16);
errors++;
}
if(data4 < -9007199254740991 || isNaN(data4)){
const err17 = {instancePath:instancePath+"/level",schemaPath:"#/properties/level/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err17);
errors++;
}
}
}
if(data.score !== undefined){
let data5 = data.score;
if(func4(data5) && isFinite(data5.value)){
data5 = data5.value;
data["score"] = data5;
}
if((!((typeof data5 == "number") && (isFinite(data5)))) && (data5 !== null)){
const err18 = {instancePath:instancePath+"/score",schemaPath:"#/properties/score/allOf/0/type",keyword:"type",params:{type: schema0.properties.score.allOf[0].type},message:"must be number,null"};
vErrors = keepIssue(vErrors, err18);
errors++;
}
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 < 0 || isNaN(data5)){
const err19 = {instancePath:instancePath+"/score",schemaPath:"#/properties/score/allOf/0/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
vErrors = keepIssue(vErrors, err19);
errors++;
}
}
}
if(data.ratio !== undefined){
let data6 = data.ratio;
if(func4(data6) && isFinite(data6.value)){
data6 = data6.value;
data["ratio"] = data6;
}
if(!((typeof data6 == "number") && (isFinite(data6)))){
const err20 = {instancePath:instancePath+"/ratio",schemaPath:"#/properties/ratio/allOf/0/type",keyword:"type",params:{type: "number"},message:"must be number"};
vErrors = keepIssue(vErrors, err20);
errors++;
}
}
if(data.due !== undefined){
let data7 = data.due;
if((typeof data7 !== "string") && (data7 !== null)){
const err21 = {instancePath:instancePath+"/due",schemaPath:"#/properties/due/type",keyword:"type",params:{type: schema0.properties.due.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err21);
errors++;
}
if(typeof data7 === "string"){
if(!func6(data7)){
const err22 = {instancePath:instancePath+"/due",schemaPath:"#/properties/due/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err22);
errors++;
}
}
}
if(data.start !== undefined){
let data8 = data.start;
if(typeof data8 === "string"){
if(!func6(data8)){
const err23 = {instancePath:instancePath+"/start",schemaPath:"#/properties/start/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err23);
errors++;
}
}
else {
const err24 = {instancePath:instancePath+"/start",schemaPath:"#/properties/start/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err24);
errors++;
}
}
if(data.done !== undefined){
if(typeof data.done !== "boolean"){
const err25 = {instancePath:instancePath+"/done",schemaPath:"#/properties/done/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err25);
errors++;
}
}
if(data.meta !== undefined){
let data10 = data.meta;
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.note === undefined){
const err26 = {instancePath:instancePath+"/meta",schemaPath:"#/properties/meta/required",keyword:"required",params:{missingProperty: "note"},message:"must have required property '"+"note"+"'"};
vErrors = keepIssue(vErrors, err26);
errors++;
}
for(const key1 in data10){
if(!(((key1 === "a") || (key1 === "note")) || (key1 === "at"))){
const err27 = {instancePath:instancePath+"/meta",schemaPath:"#/properties/meta/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err27);
errors++;
}
}
if(data10.a !== undefined){
let data11 = data10.a;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
for(const key2 in data11){
if(!(key2 === "b")){
const err28 = {instancePath:instancePath+"/meta/a",schemaPath:"#/properties/meta/properties/a/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err28);
errors++;
}
}
if(data11.b !== undefined){
let data12 = data11.b;
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
for(const key3 in data12){
if(!(key3 === "c")){
const err29 = {instancePath:instancePath+"/meta/a/b",schemaPath:"#/properties/meta/properties/a/properties/b/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err29);
errors++;
}
}
if(data12.c !== undefined){
let data13 = data12.c;
if(!(((typeof data13 == "number") && (!(data13 % 1) && !isNaN(data13))) && (isFinite(data13)))){
const err30 = {instancePath:instancePath+"/meta/a/b/c",schemaPath:"#/properties/meta/properties/a/properties/b/properties/c/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err30);
errors++;
}
if((typeof data13 == "number") && (isFinite(data13))){
if(data13 > 9007199254740991 || isNaN(data13)){
const err31 = {instancePath:instancePath+"/meta/a/b/c",schemaPath:"#/properties/meta/properties/a/properties/b/properties/c/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err31);
errors++;
}
if(data13 < -9007199254740991 || isNaN(data13)){
const err32 = {instancePath:instancePath+"/meta/a/b/c",schemaPath:"#/properties/meta/properties/a/properties/b/properties/c/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err32);
errors++;
}
}
}
}
else {
const err33 = {instancePath:instancePath+"/meta/a/b",schemaPath:"#/properties/meta/properties/a/properties/b/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err33);
errors++;
}
}
}
else {
const err34 = {instancePath:instancePath+"/meta/a",schemaPath:"#/properties/meta/properties/a/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err34);
errors++;
}
}
if(data10.note !== undefined){
let data14 = data10.note;
if((typeof data14 !== "string") && (data14 !== null)){
const err35 = {instancePath:instancePath+"/meta/note",schemaPath:"#/properties/meta/properties/note/type",keyword:"type",params:{type: schema0.properties.meta.properties.note.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err35);
errors++;
}
if(typeof data14 === "string"){
if(func1(data14) > 65535){
const err36 = {instancePath:instancePath+"/meta/note",schemaPath:"#/properties/meta/properties/note/maxLength",keyword:"maxLength",params:{limit: 65535},message:"must NOT have more than 65535 characters"};
vErrors = keepIssue(vErrors, err36);
errors++;
}
if(data14.includes("\u0000")){
const err37 = {instancePath:instancePath+"/meta/note",schemaPath:"#/properties/meta/properties/note/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err37);
errors++;
}
}
}
if(data10.at !== undefined){
let data15 = data10.at;
if(typeof data15 === "string"){
if(!func9(data15)){
const err38 = {instancePath:instancePath+"/meta/at",schemaPath:"#/properties/meta/properties/at/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err38);
errors++;
}
}
else {
const err39 = {instancePath:instancePath+"/meta/at",schemaPath:"#/properties/meta/properties/at/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err39);
errors++;
}
}
}
else {
const err40 = {instancePath:instancePath+"/meta",schemaPath:"#/properties/meta/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err40);
errors++;
}
}
if(data.list !== undefined){
let data16 = data.list;
if(Array.isArray(data16)){
if(data16.length > 50){
const err41 = {instancePath:instancePath+"/list",schemaPath:"#/properties/list/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
vErrors = keepIssue(vErrors, err41);
errors++;
}
const len0 = data16.length;
for(let i0=0; i0<len0; i0++){
let data17 = data16[i0];
if(typeof data17 === "string"){
if(func1(data17) > 100){
const err42 = {instancePath:instancePath+"/list/" + i0,schemaPath:"#/properties/list/items/maxLength",keyword:"maxLength",params:{limit: 100},message:"must NOT have more than 100 characters"};
vErrors = keepIssue(vErrors, err42);
errors++;
}
if(data17.includes("\u0000")){
const err43 = {instancePath:instancePath+"/list/" + i0,schemaPath:"#/properties/list/items/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err43);
errors++;
}
}
else {
const err44 = {instancePath:instancePath+"/list/" + i0,schemaPath:"#/properties/list/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err44);
errors++;
}
}
let i1 = data16.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data16[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
const err45 = {instancePath:instancePath+"/list",schemaPath:"#/properties/list/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0},message:"must NOT have duplicate items (items ## "+j0+" and "+i1+" are identical)"};
vErrors = keepIssue(vErrors, err45);
errors++;
break;
}
indices0[item0] = i1;
}
}
}
else {
const err46 = {instancePath:instancePath+"/list",schemaPath:"#/properties/list/type",keyword:"type",params:{type: "array"},message:"must be array"};
vErrors = keepIssue(vErrors, err46);
errors++;
}
}
if(data.points !== undefined){
let data18 = data.points;
if(Array.isArray(data18)){
if(data18.length > 1000){
const err47 = {instancePath:instancePath+"/points",schemaPath:"#/properties/points/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
vErrors = keepIssue(vErrors, err47);
errors++;
}
const len1 = data18.length;
for(let i2=0; i2<len1; i2++){
let data19 = data18[i2];
if(func4(data19) && isFinite(data19.value)){
data19 = data19.value;
data18[i2] = data19;
}
if(!((typeof data19 == "number") && (isFinite(data19)))){
const err48 = {instancePath:instancePath+"/points/" + i2,schemaPath:"#/properties/points/items/allOf/0/type",keyword:"type",params:{type: "number"},message:"must be number"};
vErrors = keepIssue(vErrors, err48);
errors++;
}
}
}
else {
const err49 = {instancePath:instancePath+"/points",schemaPath:"#/properties/points/type",keyword:"type",params:{type: "array"},message:"must be array"};
vErrors = keepIssue(vErrors, err49);
errors++;
}
}
if(data.names !== undefined){
let data20 = data.names;
if(func4(data20)){
const err50 = {instancePath:instancePath+"/names",schemaPath:"#/properties/names/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err50);
errors++;
}
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
if(Object.keys(data20).length > 1000){
const err51 = {instancePath:instancePath+"/names",schemaPath:"#/properties/names/maxProperties",keyword:"maxProperties",params:{limit: 1000},message:"must NOT have more than 1000 properties"};
vErrors = keepIssue(vErrors, err51);
errors++;
}
for(const key4 in data20){
const _errs50 = errors;
if(typeof key4 === "string"){
if(func1(key4) > 255){
const err52 = {instancePath:instancePath+"/names",schemaPath:"#/properties/names/propertyNames/maxLength",keyword:"maxLength",params:{limit: 255},message:"must NOT have more than 255 characters",propertyName:key4};
vErrors = keepIssue(vErrors, err52);
errors++;
}
if(key4.includes("\u0000")){
const err53 = {instancePath:instancePath+"/names",schemaPath:"#/properties/names/propertyNames/storable",keyword:"storable",params:{},message:"must not contain U+0000",propertyName:key4};
vErrors = keepIssue(vErrors, err53);
errors++;
}
}
else {
const err54 = {instancePath:instancePath+"/names",schemaPath:"#/properties/names/propertyNames/type",keyword:"type",params:{type: "string"},message:"must be string",propertyName:key4};
vErrors = keepIssue(vErrors, err54);
errors++;
}
var valid12 = _errs50 === errors;
if(!valid12){
const err55 = {instancePath:instancePath+"/names",schemaPath:"#/properties/names/propertyNames",keyword:"propertyNames",params:{propertyName: key4},message:"property name must be valid"};
vErrors = keepIssue(vErrors, err55);
errors++;
}
}
for(const key5 in data20){
let data21 = data20[key5];
if(typeof data21 === "string"){
if(func1(data21) > 65535){
const err56 = {instancePath:instancePath+"/names/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/names/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 65535},message:"must NOT have more than 65535 characters"};
vErrors = keepIssue(vErrors, err56);
errors++;
}
if(data21.includes("\u0000")){
const err57 = {instancePath:instancePath+"/names/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/names/additionalProperties/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err57);
errors++;
}
}
else {
const err58 = {instancePath:instancePath+"/names/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/names/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err58);
errors++;
}
}
}
else {
const err59 = {instancePath:instancePath+"/names",schemaPath:"#/properties/names/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err59);
errors++;
}
}
if(data.extra !== undefined){
let data22 = data.extra;
if((!(data22 && typeof data22 == "object" && !Array.isArray(data22))) && (data22 !== null)){
const err60 = {instancePath:instancePath+"/extra",schemaPath:"#/properties/extra/type",keyword:"type",params:{type: schema0.properties.extra.type},message:"must be object,null"};
vErrors = keepIssue(vErrors, err60);
errors++;
}
if(func4(data22)){
const err61 = {instancePath:instancePath+"/extra",schemaPath:"#/properties/extra/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err61);
errors++;
}
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
if(Object.keys(data22).length > 1000){
const err62 = {instancePath:instancePath+"/extra",schemaPath:"#/properties/extra/maxProperties",keyword:"maxProperties",params:{limit: 1000},message:"must NOT have more than 1000 properties"};
vErrors = keepIssue(vErrors, err62);
errors++;
}
for(const key6 in data22){
const _errs57 = errors;
if(typeof key6 === "string"){
if(func1(key6) > 255){
const err63 = {instancePath:instancePath+"/extra",schemaPath:"#/properties/extra/propertyNames/maxLength",keyword:"maxLength",params:{limit: 255},message:"must NOT have more than 255 characters",propertyName:key6};
vErrors = keepIssue(vErrors, err63);
errors++;
}
if(key6.includes("\u0000")){
const err64 = {instancePath:instancePath+"/extra",schemaPath:"#/properties/extra/propertyNames/storable",keyword:"storable",params:{},message:"must not contain U+0000",propertyName:key6};
vErrors = keepIssue(vErrors, err64);
errors++;
}
}
else {
const err65 = {instancePath:instancePath+"/extra",schemaPath:"#/properties/extra/propertyNames/type",keyword:"type",params:{type: "string"},message:"must be string",propertyName:key6};
vErrors = keepIssue(vErrors, err65);
errors++;
}
var valid14 = _errs57 === errors;
if(!valid14){
const err66 = {instancePath:instancePath+"/extra",schemaPath:"#/properties/extra/propertyNames",keyword:"propertyNames",params:{propertyName: key6},message:"property name must be valid"};
vErrors = keepIssue(vErrors, err66);
errors++;
}
}
for(const key7 in data22){
const problem0 = func17(data22, key7);
if(problem0 !== null){
const err67 = {instancePath:instancePath+"/extra/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/extra/additionalProperties/anyJson",keyword:"anyJson",params:{problem: problem0},message:problem0};
vErrors = keepIssue(vErrors, err67);
errors++;
}
}
}
}
if(data.blobId !== undefined){
let data24 = data.blobId;
if((typeof data24 !== "string") && (data24 !== null)){
const err68 = {instancePath:instancePath+"/blobId",schemaPath:"#/properties/blobId/type",keyword:"type",params:{type: schema0.properties.blobId.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err68);
errors++;
}
if(typeof data24 === "string"){
if(func1(data24) > 65535){
const err69 = {instancePath:instancePath+"/blobId",schemaPath:"#/properties/blobId/maxLength",keyword:"maxLength",params:{limit: 65535},message:"must NOT have more than 65535 characters"};
vErrors = keepIssue(vErrors, err69);
errors++;
}
if(data24.includes("\u0000")){
const err70 = {instancePath:instancePath+"/blobId",schemaPath:"#/properties/blobId/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err70);
errors++;
}
}
}
}
else {
const err71 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err71);
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
const schema2 = {"$id":"filter","type":"object","properties":{"title":{"type":["string","null"]},"titleStart":{"type":["string","null"]},"kind":{"type":["array","null"],"items":{"type":"string"}},"code":{"type":["string","null"]},"noCode":{"type":["boolean","null"]},"noExtra":{"type":["boolean","null"]},"minRank":{"type":["integer","null"],"minimum":-9007199254740991,"maximum":9007199254740991},"maxScore":{"nearest":true,"allOf":[{"type":["number","null"]}]},"levels":{"type":["array","null"],"items":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}},"dueBefore":{"type":["string","null"],"utcDate":"any"},"dueAt":{"type":["array","null"],"items":{"type":"string","utcDate":"any"}},"createdAfter":{"type":["string","null"],"utcDate":"any"},"done":{"type":["boolean","null"]},"ids":{"type":["array","null"],"items":{"type":"string"}}},"additionalProperties":false};
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
if(data.titleStart !== undefined){
let data1 = data.titleStart;
if((typeof data1 !== "string") && (data1 !== null)){
const err2 = {instancePath:instancePath+"/titleStart",schemaPath:"#/properties/titleStart/type",keyword:"type",params:{type: schema2.properties.titleStart.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.kind !== undefined){
let data2 = data.kind;
if((!(Array.isArray(data2))) && (data2 !== null)){
const err3 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: schema2.properties.kind.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
if(Array.isArray(data2)){
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
if(typeof data2[i0] !== "string"){
const err4 = {instancePath:instancePath+"/kind/" + i0,schemaPath:"#/properties/kind/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
}
}
if(data.code !== undefined){
let data4 = data.code;
if((typeof data4 !== "string") && (data4 !== null)){
const err5 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/type",keyword:"type",params:{type: schema2.properties.code.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
if(data.noCode !== undefined){
let data5 = data.noCode;
if((typeof data5 !== "boolean") && (data5 !== null)){
const err6 = {instancePath:instancePath+"/noCode",schemaPath:"#/properties/noCode/type",keyword:"type",params:{type: schema2.properties.noCode.type},message:"must be boolean,null"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
if(data.noExtra !== undefined){
let data6 = data.noExtra;
if((typeof data6 !== "boolean") && (data6 !== null)){
const err7 = {instancePath:instancePath+"/noExtra",schemaPath:"#/properties/noExtra/type",keyword:"type",params:{type: schema2.properties.noExtra.type},message:"must be boolean,null"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
if(data.minRank !== undefined){
let data7 = data.minRank;
if((!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))) && (data7 !== null)){
const err8 = {instancePath:instancePath+"/minRank",schemaPath:"#/properties/minRank/type",keyword:"type",params:{type: schema2.properties.minRank.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 > 9007199254740991 || isNaN(data7)){
const err9 = {instancePath:instancePath+"/minRank",schemaPath:"#/properties/minRank/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
if(data7 < -9007199254740991 || isNaN(data7)){
const err10 = {instancePath:instancePath+"/minRank",schemaPath:"#/properties/minRank/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
}
if(data.maxScore !== undefined){
let data8 = data.maxScore;
if(func4(data8) && isFinite(data8.value)){
data8 = data8.value;
data["maxScore"] = data8;
}
if((!((typeof data8 == "number") && (isFinite(data8)))) && (data8 !== null)){
const err11 = {instancePath:instancePath+"/maxScore",schemaPath:"#/properties/maxScore/allOf/0/type",keyword:"type",params:{type: schema2.properties.maxScore.allOf[0].type},message:"must be number,null"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
if(data.levels !== undefined){
let data9 = data.levels;
if((!(Array.isArray(data9))) && (data9 !== null)){
const err12 = {instancePath:instancePath+"/levels",schemaPath:"#/properties/levels/type",keyword:"type",params:{type: schema2.properties.levels.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
if(Array.isArray(data9)){
const len1 = data9.length;
for(let i1=0; i1<len1; i1++){
let data10 = data9[i1];
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
const err13 = {instancePath:instancePath+"/levels/" + i1,schemaPath:"#/properties/levels/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 9007199254740991 || isNaN(data10)){
const err14 = {instancePath:instancePath+"/levels/" + i1,schemaPath:"#/properties/levels/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
if(data10 < -9007199254740991 || isNaN(data10)){
const err15 = {instancePath:instancePath+"/levels/" + i1,schemaPath:"#/properties/levels/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
vErrors = keepIssue(vErrors, err15);
errors++;
}
}
}
}
}
if(data.dueBefore !== undefined){
let data11 = data.dueBefore;
if((typeof data11 !== "string") && (data11 !== null)){
const err16 = {instancePath:instancePath+"/dueBefore",schemaPath:"#/properties/dueBefore/type",keyword:"type",params:{type: schema2.properties.dueBefore.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err16);
errors++;
}
if(typeof data11 === "string"){
if(!func6(data11)){
const err17 = {instancePath:instancePath+"/dueBefore",schemaPath:"#/properties/dueBefore/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err17);
errors++;
}
}
}
if(data.dueAt !== undefined){
let data12 = data.dueAt;
if((!(Array.isArray(data12))) && (data12 !== null)){
const err18 = {instancePath:instancePath+"/dueAt",schemaPath:"#/properties/dueAt/type",keyword:"type",params:{type: schema2.properties.dueAt.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err18);
errors++;
}
if(Array.isArray(data12)){
const len2 = data12.length;
for(let i2=0; i2<len2; i2++){
let data13 = data12[i2];
if(typeof data13 === "string"){
if(!func6(data13)){
const err19 = {instancePath:instancePath+"/dueAt/" + i2,schemaPath:"#/properties/dueAt/items/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err19);
errors++;
}
}
else {
const err20 = {instancePath:instancePath+"/dueAt/" + i2,schemaPath:"#/properties/dueAt/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err20);
errors++;
}
}
}
}
if(data.createdAfter !== undefined){
let data14 = data.createdAfter;
if((typeof data14 !== "string") && (data14 !== null)){
const err21 = {instancePath:instancePath+"/createdAfter",schemaPath:"#/properties/createdAfter/type",keyword:"type",params:{type: schema2.properties.createdAfter.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err21);
errors++;
}
if(typeof data14 === "string"){
if(!func6(data14)){
const err22 = {instancePath:instancePath+"/createdAfter",schemaPath:"#/properties/createdAfter/utcDate",keyword:"utcDate",params:{},message:"must be a UTCDate, for instance 2026-01-31T12:00:00Z"};
vErrors = keepIssue(vErrors, err22);
errors++;
}
}
}
if(data.done !== undefined){
let data15 = data.done;
if((typeof data15 !== "boolean") && (data15 !== null)){
const err23 = {instancePath:instancePath+"/done",schemaPath:"#/properties/done/type",keyword:"type",params:{type: schema2.properties.done.type},message:"must be boolean,null"};
vErrors = keepIssue(vErrors, err23);
errors++;
}
}
if(data.ids !== undefined){
let data16 = data.ids;
if((!(Array.isArray(data16))) && (data16 !== null)){
const err24 = {instancePath:instancePath+"/ids",schemaPath:"#/properties/ids/type",keyword:"type",params:{type: schema2.properties.ids.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err24);
errors++;
}
if(Array.isArray(data16)){
const len3 = data16.length;
for(let i3=0; i3<len3; i3++){
if(typeof data16[i3] !== "string"){
const err25 = {instancePath:instancePath+"/ids/" + i3,schemaPath:"#/properties/ids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err25);
errors++;
}
}
}
}
}
else {
const err26 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err26);
errors++;
}
validate3.errors = vErrors;
return errors === 0;
}
export const server = validate4;
const schema3 = {"$id":"server","type":"object","properties":{"count":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}},"additionalProperties":false};
function validate4(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="server" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(key0 === "count")){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.count !== undefined){
let data0 = data.count;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
const err1 = {instancePath:instancePath+"/count",schemaPath:"#/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 > 9007199254740991 || isNaN(data0)){
const err2 = {instancePath:instancePath+"/count",schemaPath:"#/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
if(data0 < -9007199254740991 || isNaN(data0)){
const err3 = {instancePath:instancePath+"/count",schemaPath:"#/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"};
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
